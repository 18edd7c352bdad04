// The schema as pg_dump writes it: from PG_DUMP where that is set, else by the one that comes with npm, else from the
// PATH. Never one that is older than the server: pg_dump refuses that, and may not know what is there.

import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { StackError } from '../support/output.ts'
import { errorText } from '../support/wait.ts'
import { BUNDLED_MAJOR, BUNDLED_NAME, runBundledDump } from './bundled-dump.ts'

const run = promisify(execFile)
const MESSAGE_BYTES_MAX = 16 * 1024 * 1024

export type Section = 'pre-data' | 'post-data'

/** A pg_dump that can read the server. */
export interface SchemaDump {
  /** As it calls itself. */
  readonly name: string
  /** One section of the schema as SQL, as the snapshot of that name sees it. */
  write(section: Section, snapshot: string): Promise<string>
}

/** Answers the pg_dump to use for a server of this major version. Throws a `StackError` that says how to get one. */
export async function findSchemaDump(
  url: string,
  serverMajor: number,
  env: NodeJS.ProcessEnv,
): Promise<SchemaDump> {
  const chosen = env.PG_DUMP
  if (!chosen && serverMajor <= BUNDLED_MAJOR) {
    const write = async (section: Section, snapshot: string) =>
      withoutHead(await runBundledDump(url, argsOf(section, snapshot)))
    return { name: BUNDLED_NAME, write }
  }
  const program = chosen || 'pg_dump'
  const version = await versionOf(program)
  const whose = chosen ? `PG_DUMP is ${chosen}` : 'pg_dump of the PATH'
  const remedy =
    `Install the client programs of Postgres ${serverMajor} or newer (Debian: apt install ` +
    `postgresql-client-${serverMajor}; macOS: brew install libpq) and set PG_DUMP to the path of their pg_dump.`
  if (version === undefined)
    throw new StackError(
      `a backup of Postgres ${serverMajor} needs pg_dump; ${whose}, and cannot be run. ${remedy}`,
    )
  if (version.major < serverMajor)
    throw new StackError(
      `a backup of Postgres ${serverMajor} needs pg_dump ${serverMajor} or newer; ${whose}, version ` +
        `${version.major}. ${remedy}`,
    )
  return {
    name: version.text,
    write: async (...wanted) => withoutHead(await runProgram(program, url, wanted)),
  }
}

/** pg_dump has neither our lock_timeout nor an end of its own. */
const LOCK_WAIT_TIMEOUT = '2s'

/** Whether pg_dump has waited in vain for a lock: behind a change that waits for the backup, it would for ever. */
export function isLockTimeout(err: unknown): boolean {
  return errorText(err).includes('due to statement timeout')
}

const argsOf = (section: Section, snapshot: string): string[] => [
  `--section=${section}`,
  `--snapshot=${snapshot}`,
  `--lock-wait-timeout=${LOCK_WAIT_TIMEOUT}`,
  '--encoding=UTF8',
  '--no-password',
  '--no-tablespaces',
]

async function versionOf(program: string): Promise<{ major: number; text: string } | undefined> {
  try {
    const { stdout } = await run(program, ['--version'])
    const major = /\(PostgreSQL\) (\d+)/.exec(stdout)?.[1]
    return major === undefined ? undefined : { major: Number(major), text: stdout.trim() }
  } catch {
    return undefined
  }
}

/** The password goes by the environment: everybody sees the arguments of a process. */
async function runProgram(
  program: string,
  url: string,
  [section, snapshot]: [Section, string],
): Promise<string> {
  const place = new URL(url)
  const password = decodeURIComponent(place.password)
  place.password = ''
  const folder = mkdtempSync(join(tmpdir(), 'quoin-backup-'))
  const file = join(folder, 'schema.sql')
  try {
    await run(program, [...argsOf(section, snapshot), `--file=${file}`, `--dbname=${place.href}`], {
      env: { ...process.env, ...(password !== '' && { PGPASSWORD: password }) },
      maxBuffer: MESSAGE_BYTES_MAX,
    })
    return readFileSync(file, 'utf8')
  } catch (err) {
    const said = (err as { stderr?: string }).stderr?.trim()
    throw new StackError(`pg_dump failed: ${said || errorText(err)}`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const HEAD_LINE =
  /^(?:SET [a-z_]+ = [^;\n]*;|SELECT pg_catalog\.set_config\('search_path', '', false\);|--.*|\\(?:un)?restrict \w+)?$/

/**
 * Without the settings at its beginning, and without psql's own commands around it: a restore makes its own settings,
 * and knows no psql.
 */
export function withoutHead(text: string): string {
  if (!text.includes('\nSET standard_conforming_strings = on;\n'))
    throw new StackError(
      'pg_dump writes texts with backslashes as escapes, which a restore would not read so',
    )
  const lines = text.split('\n')
  const begin = lines.findIndex(line => !HEAD_LINE.test(line))
  if (begin === -1) return ''
  const end = lines.findLastIndex(line => line !== '' && !/^(?:\\unrestrict \w+|--.*)$/.test(line))
  return `${lines.slice(begin, end + 1).join('\n')}\n`
}
