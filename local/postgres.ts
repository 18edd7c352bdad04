// The local Postgres: makes its data folder once, starts it, and waits until it answers. Knows nothing of what is
// inside (database.ts does). Started as a child like the others, so that Ctrl-C ends it last and in order.

import { execFile } from 'node:child_process'
import {
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { StackError } from '../cli/support/output.ts'
import { errorText, waitUntil } from '../cli/support/wait.ts'
import type { Children } from './children.ts'
import { LOOPBACK } from './ports.ts'
import type { PostgresFiles } from './postgres-files.ts'
import { listProcesses } from './process-table.ts'

export const SUPERUSER = 'postgres'

const MAJOR_VERSION = '18'
const INITDB_FLAGS = [
  '--encoding=UTF8',
  '--locale-provider=builtin',
  '--locale=C.UTF-8',
  '--auth=scram-sha-256',
]
const INITDB_TIMEOUT_MS = 60_000
const START_DEADLINE_MS = 60_000
const CONNECT_TIMEOUT_MS = 5_000
const MAX_CONNECTIONS = 200

/** Makes the data folder unless it is there. Half a folder (initdb was killed) is never taken for a whole one. */
export async function initialisePostgres(
  files: PostgresFiles,
  password: string,
  stopped: AbortSignal,
): Promise<'made' | 'kept'> {
  refuseOtherOwner(files)
  const versionFile = join(files.dataDir, 'PG_VERSION')
  if (existsSync(versionFile)) {
    const version = readFileSync(versionFile, 'utf8').trim()
    if (version === MAJOR_VERSION) return 'kept'
    throw new StackError(
      `${files.dataDir} was made by Postgres ${version}, this is ${MAJOR_VERSION}: start over with --reset`,
    )
  }
  const fresh = `${files.dataDir}.partial`
  rmSync(fresh, { recursive: true, force: true })
  mkdirSync(dirname(files.dataDir), { recursive: true, mode: 0o755 })
  mkdirSync(fresh, { mode: 0o700 })
  const passwordFile = join(files.socketDir, 'password')
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 })
  if (files.user !== undefined) {
    for (const path of [fresh, passwordFile]) chownSync(path, files.user.uid, files.user.gid)
  }
  try {
    await runInitdb(files, fresh, passwordFile, stopped)
  } finally {
    rmSync(passwordFile, { force: true })
  }
  renameSync(fresh, files.dataDir)
  return 'made'
}

/** Postgres' data is its owner's alone: to anybody else it would look as if there were none. */
function refuseOtherOwner({ dataDir, user }: PostgresFiles): void {
  const owner = statSync(dataDir, { throwIfNoEntry: false })?.uid
  const runner = user?.uid ?? process.getuid?.()
  if (owner === undefined || owner === runner) return
  throw new StackError(
    `${dataDir} belongs to user ${owner}, and Postgres would run as user ${runner}: ` +
      'start as the user who made it, or choose another folder with --data-dir',
  )
}

/** Starts the server and waits until it takes connections; throws a `StackError` when it does not. */
export async function startPostgres(
  children: Children,
  files: PostgresFiles,
  port: number,
  superuserUrl: string,
) {
  clearStalePidFile(files)
  await children.start({
    name: 'postgres',
    command: files.postgres,
    // prettier-ignore
    args: [
      ...['-D', files.dataDir, '-p', String(port), '-k', files.socketDir, '-h', LOOPBACK],
      ...['-c', `max_connections=${MAX_CONNECTIONS}`, '-c', 'log_min_messages=warning', '-c', 'timezone=UTC'],
    ],
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
    cwd: files.dataDir,
    // Fast shutdown: ends sessions, writes a checkpoint. SIGTERM would wait for every client to leave.
    endSignal: 'SIGINT',
    // Immediate shutdown: no checkpoint, but its shared memory and its backends are gone.
    killSignal: 'SIGQUIT',
    user: files.user,
  })
  await waitUntil(
    { what: 'Postgres takes connections', deadlineMs: START_DEADLINE_MS, stopped: children.stopped },
    () => connectOnce(superuserUrl),
  )
}

async function runInitdb(
  files: PostgresFiles,
  dataDir: string,
  passwordFile: string,
  signal: AbortSignal,
): Promise<void> {
  const args = [`--pgdata=${dataDir}`, `--username=${SUPERUSER}`, `--pwfile=${passwordFile}`, ...INITDB_FLAGS]
  try {
    const env = { PATH: process.env.PATH, LC_ALL: 'C' }
    await promisify(execFile)(files.initdb, args, {
      ...files.user,
      cwd: dataDir,
      env,
      signal,
      timeout: INITDB_TIMEOUT_MS,
    })
  } catch (err) {
    signal.throwIfAborted()
    const stderr = err instanceof Error && 'stderr' in err ? String(err.stderr).trim() : ''
    // Its last lines are about clearing up.
    const lines = stderr.split('\n')
    const cause = lines.find(line => /\b(error|FATAL|PANIC): /.test(line)) ?? lines.at(-1)
    throw new StackError(`Postgres' data folder cannot be made: ${cause || errorText(err)}`)
  }
}

/**
 * A crash leaves `postmaster.pid` behind. Postgres clears it itself unless its process id belongs to somebody else by
 * now, as it soon does in a container. What an earlier stack left running has been ended before.
 */
function clearStalePidFile(files: PostgresFiles): void {
  const pidFile = join(files.dataDir, 'postmaster.pid')
  if (!existsSync(pidFile)) return
  const pid = Number(readFileSync(pidFile, 'utf8').split('\n')[0])
  const owner = listProcesses().find(entry => entry.pid === pid)
  if (owner?.identity.includes(`\n${files.dataDir}\n`) || owner?.identity.includes(`\n${files.dataDir}/\n`)) {
    throw new StackError(
      `Postgres runs on ${files.dataDir} already, as process ${pid}: end it with \`kill -INT ${pid}\``,
    )
  }
  rmSync(pidFile)
}

async function connectOnce(url: string): Promise<true> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS })
  client.on('error', () => {
    // Reported by the rejected call already.
  })
  try {
    await client.connect()
    return true
  } finally {
    await client.end()
  }
}
