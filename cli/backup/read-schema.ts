// Schema of a database, and the snapshot that its rows are read in: the two fit each other, whatever changes meanwhile.

import type { Client } from 'pg'
import { quoteQualified } from '../../src/db/sql.ts'
import { StackError } from '../support/output.ts'
import {
  type DatabaseFacts,
  readDatabaseFacts,
  readSequences,
  readTables,
  type TableToCopy,
} from './facts.ts'
import { type Manifest, shownName } from './manifest.ts'
import { readObjects } from './objects.ts'
import { findSchemaDump, isLockTimeout } from './schema-dump.ts'
import { oneRow, withBackupSession } from './session.ts'

export interface SchemaReading {
  /** PG_DUMP. */
  readonly env: NodeJS.ProcessEnv
  readonly log: (line: string) => void
  readonly stopped?: AbortSignal
  /** Whether the database has a list of its backups. */
  readonly isRecorded: boolean
}

const SHOWN_MAX = 5
const LOCK_NOT_AVAILABLE = '55P03'

/**
 * Begins the transaction that all of the backup reads in. It holds a lock that only one backup can have; callers, who
 * have no right to the table, cannot. It has no snapshot yet: what a LOCK waited for would not be in it.
 */
export async function beginAlone(reader: Client, isRecorded: boolean): Promise<void> {
  await reader.query('begin isolation level repeatable read')
  if (!isRecorded) return
  try {
    await reader.query(`set local lock_timeout = '2s'`)
    await reader.query('lock table quoin.backups in share update exclusive mode')
    await reader.query(`set local lock_timeout = '60s'`)
  } catch (err) {
    if ((err as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw err
    throw new StackError('another backup of this database is under way: wait until it has ended')
  }
}

function refuseUnreadable(tables: readonly TableToCopy[]): void {
  const closed = tables.filter(({ is_readable }) => !is_readable).map(shownName)
  if (closed.length === 0) return
  const more = closed.length > SHOWN_MAX ? `, and ${closed.length - SHOWN_MAX} more` : ''
  throw new StackError(
    `the role of DATABASE_URL may not read ${closed.slice(0, SHOWN_MAX).join(', ')}${more}: a backup has all tables ` +
      'or is none. Grant it SELECT and USAGE on the schema, or use a role that has them',
  )
}

/** What LOCK says of a name that is another thing by then. */
const NO_SUCH_TABLE = ['42P01', '3F000', '42809', '42501']
const TRIES_MAX = 5

interface Known {
  readonly tables: readonly TableToCopy[]
  /** All objects, as JSON. */
  readonly objects: string
}

interface Schema extends Known {
  readonly facts: Omit<DatabaseFacts, 'largeObjects'>
  readonly schemaBy: string
  readonly preData: string
  readonly postData: string
  readonly sequences: Manifest['sequences']
}

/**
 * Takes the snapshot and reads the schema. The tables are locked against DDL as pg_dump does; reading and writing go
 * on. They are locked before the snapshot is taken: TRUNCATE and what writes a table anew leave nothing for an older
 * one. Other objects cannot be locked, and Postgres and pg_dump look at them beside the snapshot: so what changes the
 * schema before all of it is read makes it begin again.
 */
export async function readSchema(url: string, reader: Client, reading: SchemaReading): Promise<Schema> {
  for (let tries = 1; tries <= TRIES_MAX; tries++) {
    reading.stopped?.throwIfAborted()
    const known = await withBackupSession(url, async client => ({
      tables: await readTables(client),
      objects: await objectsOf(client),
    }))
    refuseUnreadable(known.tables)
    if (await isLocked(reader, known.tables)) {
      const schema = await tryReadSchema(url, reader, known, reading)
      if (schema !== undefined) return schema
    }
    reading.log('somebody changes the schema: it is read again')
    await reader.query('rollback')
    await beginAlone(reader, reading.isRecorded)
  }
  throw new StackError(
    `somebody changed the schema each of ${TRIES_MAX} times that it was read: take the backup when that has ended`,
  )
}

const objectsOf = async (client: Client): Promise<string> => JSON.stringify(await readObjects(client))

/** Undefined where it is no longer what is known of it. */
async function tryReadSchema(
  url: string,
  reader: Client,
  known: Known,
  { env, log }: SchemaReading,
): Promise<Schema | undefined> {
  const { snapshot } = await oneRow<{ snapshot: string }>(reader, 'select pg_export_snapshot() as snapshot')
  const tables = await readTables(reader)
  if (identityOf(tables) !== identityOf(known.tables)) return undefined
  const isUnchanged = async () => (await withBackupSession(url, objectsOf)) === known.objects
  try {
    const { largeObjects, ...facts } = await readDatabaseFacts(reader)
    refuseLargeObjects(largeObjects)
    const dump = await findSchemaDump(url, Math.floor(facts.postgres_version_number / 10_000), env)
    log(`schema, by ${dump.name}`)
    const preData = await dump.write('pre-data', snapshot)
    const postData = await dump.write('post-data', snapshot)
    const sequences = await readSequences(reader)
    if (!(await isUnchanged())) return undefined
    return { tables, objects: known.objects, facts, schemaBy: dump.name, preData, postData, sequences }
  } catch (err) {
    // A change that waits for a lock goes first then. Where the database has gone away, that is what is told.
    if (!isLockTimeout(err) && (await isUnchanged().catch(() => true))) throw err
    return undefined
  }
}

function refuseLargeObjects(count: number): void {
  if (count === 0) return
  throw new StackError(
    `the database has ${count} large objects (pg_largeobject), which a backup of Quoin does not take: ` +
      'move them into a column of type bytea, or use pg_dump itself',
  )
}

const identityOf = (tables: readonly TableToCopy[]): string =>
  JSON.stringify(tables.map(({ oid, schema, name }) => [oid, schema, name]))

/** False where one of them is no longer there under its name. */
async function isLocked(reader: Client, tables: readonly TableToCopy[]): Promise<boolean> {
  if (tables.length === 0) return true
  try {
    await reader.query(`lock table only ${tables.map(quoteQualified).join(', only ')} in access share mode`)
    return true
  } catch (err) {
    if (NO_SUCH_TABLE.includes((err as { code?: string }).code ?? '')) return false
    throw err
  }
}
