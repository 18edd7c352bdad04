// Databases and folders for tests of backups, and the commands as one types them.

import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { inject } from 'vitest'
import { dropDatabase } from '../../../cli/backup/databases.ts'
import { makeBackup } from '../../../cli/backup/write-backup.ts'
import { PROJECT_DIR } from '../../../cli/support/project.ts'
import { urlOf } from '../../support/migrations.ts'
import { connectOwner } from '../../support/postgres.ts'

export interface EmptyDatabase extends AsyncDisposable {
  readonly name: string
  readonly url: string
  /** Rows of a query as the owner. */
  ask<Row extends object>(sql: string, params?: unknown[]): Promise<Row[]>
}

/** A database of the owner's with nothing in it. */
export async function emptyDatabase(): Promise<EmptyDatabase> {
  const name = `backups_${randomBytes(6).toString('hex')}`
  await run(`create database ${name}`)
  const url = urlOf(name)
  return {
    name,
    url,
    ask: (sql, params) => askAt(url, sql, params),
    [Symbol.asyncDispose]: () => dropDatabase(inject('stack').database_url, name),
  }
}

export async function run(sql: string): Promise<void> {
  await using client = await connectOwner()
  await client.query(sql)
}

/** Rows of a query on a connection of its own. */
export async function askAt<Row extends object>(
  url: string,
  sql: string,
  params: unknown[] = [],
): Promise<Row[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(sql, params)).rows
  } finally {
    await client.end()
  }
}

/** As the superuser, in this database. */
export async function runIn(database: string, sql: string): Promise<void> {
  const url = new URL(inject('stack').superuser_url ?? '')
  url.pathname = `/${database}`
  await askAt(url.href, sql)
}

export interface TestFolder extends Disposable {
  readonly path: string
}

export function testFolder(): TestFolder {
  const path = mkdtempSync(join(tmpdir(), 'quoin-backups-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

/** A backup of the database, without a word. */
export function backupOf(url: string, folder: string, env: NodeJS.ProcessEnv = {}) {
  return makeBackup(url, { folder, env, log: () => {} })
}

export interface Outcome {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A program of cli/ with these arguments, on this database. */
export function command(url: string, program: string, ...args: string[]): Promise<Outcome> {
  const env = { ...process.env, DATABASE_URL: url }
  return new Promise(done => {
    const child = execFile(
      process.execPath,
      [join(PROJECT_DIR, 'cli', program), ...args],
      { cwd: PROJECT_DIR, env },
      (_, stdout, stderr) => done({ code: child.exitCode, stdout, stderr }),
    )
  })
}

/** The same as a caller with a key: by the login role, under `anon` or `service_role`. */
export function asCaller<Row extends object>(
  database: string,
  role: 'anon' | 'service_role',
  sql: string,
): Promise<Row[]> {
  const url = new URL(inject('stack').data_database_url)
  url.pathname = `/${database}`
  url.searchParams.set('options', `-c role=${role}`)
  return askAt(url.href, sql)
}
