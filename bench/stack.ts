// The local stack, in a folder and on ports of its own: Postgres, the schema, the gateway.

import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

/** What `.quoin/dev.json` says, as far as benchmarks need it. */
export interface StackFacts {
  base_url: string
  database_url: string
  data_database_url: string
  sql_gateway_url: string
}

const START_TIMEOUT_MS = 90_000

/** Starts `npm run dev` for itself and waits until it has written its facts. */
export async function startStack(dataDir: string): Promise<{ facts: StackFacts; stop: () => Promise<void> }> {
  const child = spawn(process.execPath, ['local/main.ts', '--free-ports', '--quiet', '--data-dir', dataDir], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = new Promise<void>(resolve => child.once('exit', () => resolve()))
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
  }
  const deadline = Date.now() + START_TIMEOUT_MS
  while (Date.now() < deadline && child.exitCode === null) {
    const facts = await readFile(join(dataDir, 'dev.json'), 'utf8').catch(() => undefined)
    if (facts) return { facts: JSON.parse(facts) as StackFacts, stop }
    await delay(100)
  }
  await stop()
  throw new Error('the local stack did not start; run `npm run dev` to see why')
}
