// Rows of quoin.backups. A database whose Quoin is older than that table has none; then there is nothing to write.

import type { Client } from 'pg'
import { oneRow } from './session.ts'

export interface BackupRecord {
  readonly id: string
  readonly location: string
}

const HAS_TABLE_SQL = `select to_regclass('quoin.backups') is not null as has_table`

export async function hasRecords(client: Client): Promise<boolean> {
  return (await oneRow<{ has_table: boolean }>(client, HAS_TABLE_SQL)).has_table
}

/** Rows of runs that were cut off become failed ones. For whoever holds the lock alone. */
const END_CUT_OFF_SQL = `
  update quoin.backups set status = 'failed', finished_at = clock_timestamp(), error = 'it was cut off'
  where status = 'running'`

export async function recordStart(client: Client, { id, location }: BackupRecord): Promise<void> {
  await client.query(END_CUT_OFF_SQL)
  await client.query('insert into quoin.backups (id, location) values ($1, $2)', [id, location])
}

export async function recordEnd(
  client: Client,
  { id }: BackupRecord,
  end: { readonly lsn: string; readonly sizeBytes: number },
): Promise<void> {
  await client.query(
    `update quoin.backups set status = 'completed', finished_at = clock_timestamp(), lsn = $2, size_bytes = $3
     where id = $1`,
    [id, end.lsn, end.sizeBytes],
  )
}

export async function recordFailure(client: Client, { id }: BackupRecord, error: string): Promise<void> {
  await client.query(
    `update quoin.backups set status = 'failed', finished_at = clock_timestamp(), error = $2
     where id = $1 and status = 'running'`,
    [id, error],
  )
}

/** A backup that was made before its database had the table. */
export async function recordAfterwards(
  client: Client,
  { id, location }: BackupRecord,
  made: { readonly lsn: string; readonly sizeBytes: number; readonly startedAt: string },
): Promise<void> {
  await client.query(
    `insert into quoin.backups (id, location, status, started_at, finished_at, lsn, size_bytes)
     values ($1, $2, 'completed', $3, clock_timestamp(), $4, $5) on conflict do nothing`,
    [id, location, made.startedAt, made.lsn, made.sizeBytes],
  )
}

export async function recordVerification(client: Client, id: string): Promise<void> {
  await client.query(
    `update quoin.backups set verified_at = clock_timestamp() where id = $1 and status = 'completed'`,
    [id],
  )
}

/** Where the newest whole backup lies; undefined where there is none. */
export async function newestLocation(client: Client): Promise<string | undefined> {
  if (!(await hasRecords(client))) return undefined
  const { rows } = await client.query<{ location: string }>(
    `select location from quoin.backups where status = 'completed' order by started_at desc, id desc limit 1`,
  )
  return rows[0]?.location
}
