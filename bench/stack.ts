// The local stack, in a folder and on ports of its own: Postgres, the schema, the gateway.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { devFilePath, readDevFile, type StackFacts } from '../cli/support/dev-file.ts'
import { waitUntil } from '../cli/support/wait.ts'

/** Starts `npm run dev`'s program for itself, with these variables too, and waits until it is ready. */
export async function startStack(
  dataDir: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<{ facts: StackFacts; stop: () => Promise<unknown> }> {
  const args = [
    'local/main.ts',
    '--free-ports',
    '--no-watch',
    '--no-dashboard',
    '--quiet',
    '--data-dir',
    dataDir,
  ]
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...variables },
  })
  const ended = once(child, 'exit')
  const stop = () => {
    child.kill('SIGTERM')
    return ended
  }
  await waitUntil({ what: 'the stack is ready', deadlineMs: 90_000 }, async () =>
    existsSync(devFilePath(dataDir)) ? true : undefined,
  )
  return { facts: readDevFile(dataDir), stop }
}
