// `node clean-up.ts <folder>`: waits until its standard input ends, which a test run holds open as long as it is there.
// Then ends every process that names this folder (as its temporary folder, its data, its socket), and removes it.

import { rmSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { listProcesses } from '../../local/process-table.ts'

/** A stack gives each part that hangs eight seconds. */
const GRACE_MS = 20_000
const POLL_INTERVAL_MS = 100

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('usage: node clean-up.ts <folder>')

const listLeft = () =>
  listProcesses().filter(({ pid, identity }) => pid !== process.pid && identity.includes(folder))

function signalAll(signal: NodeJS.Signals): void {
  for (const { pid } of listLeft()) {
    try {
      process.kill(pid, signal)
    } catch {
      // It has ended meanwhile.
    }
  }
}

process.stdin.resume()
await new Promise(resolve => process.stdin.once('close', resolve))
// Postgres ends at once on SIGINT, the others in order.
signalAll('SIGINT')
const endsAt = performance.now() + GRACE_MS
while (listLeft().length > 0 && performance.now() < endsAt) await delay(POLL_INTERVAL_MS)
signalAll('SIGKILL')
rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
