// Makes a backup of a database: schema and rows as one snapshot sees them. It is written under another name, and gets
// its own when all of it is on the disk: what is cut off is never taken for a backup.

import { randomUUID } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, join, resolve } from 'node:path'
import type { Client } from 'pg'
import { StackError } from '../support/output.ts'
import { PROJECT_DIR } from '../support/project.ts'
import { errorText } from '../support/wait.ts'
import { copyOutSql, type TableToCopy } from './facts.ts'
import {
  type BackupFile,
  FORMAT,
  filesOf,
  MANIFEST_FILE,
  MANIFEST_HASH_FILE,
  Manifest,
  OBJECTS_FILE,
  POST_DATA_FILE,
  PRE_DATA_FILE,
  secretsKeyFingerprint,
  sha256Of,
  shownBytes,
  shownName,
  type TableRows,
} from './manifest.ts'
import { beginAlone, readSchema } from './read-schema.ts'
import { type BackupRecord, hasRecords, recordEnd, recordFailure, recordStart } from './records.ts'
import { copyToFile } from './rows.ts'
import { readOnlyStored, withBackupSession } from './session.ts'
import { unlessStopped } from './unless-stopped.ts'

export interface BackupSettings {
  /** The folder that backups lie in; made where it is not there. */
  readonly folder: string
  /** SECRETS_KEY, PG_DUMP. */
  readonly env: NodeJS.ProcessEnv
  /** Told how far it is, a line at a time. */
  readonly log: (line: string) => void
  /** Aborted: the backup ends as a failed one. */
  readonly stopped?: AbortSignal
}

export interface MadeBackup {
  /** The folder of this backup. */
  readonly location: string
  readonly manifest: Manifest
  readonly sizeBytes: number
}

/** Begins the name of what is not whole. */
export const PARTIAL_PREFIX = '.partial-'
const PROGRESS_INTERVAL_MS = 2_000

/**
 * Makes a backup of the database and answers where it is. A row of quoin.backups says how it went, where there is that
 * table. Throws what went wrong; then nothing of it is left but that row.
 */
export async function makeBackup(url: string, settings: BackupSettings): Promise<MadeBackup> {
  const folder = resolve(settings.folder)
  const id = randomUUID()
  const startedAt = new Date().toISOString()
  const name = `${startedAt.replaceAll(/[-:]|\.\d+/g, '')}-${id.slice(0, 8)}`
  const record = { id, location: join(folder, name) }
  const partial = join(folder, PARTIAL_PREFIX + name)
  return withBackupSession(url, async reader => {
    await readOnlyStored(reader)
    const isRecorded = await hasRecords(reader)
    await beginAlone(reader, isRecorded)
    if (isRecorded) await withBackupSession(url, client => recordStart(client, record))
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      mkdirSync(partial, { mode: 0o700 })
      const writing = { ...settings, id, startedAt, isRecorded }
      const manifest = await unlessStopped(settings.stopped, writeAll(url, reader, partial, writing))
      const sizeBytes = sizeOf(manifest)
      settings.stopped?.throwIfAborted()
      renameSync(partial, record.location)
      syncFolder(folder)
      if (isRecorded) await recordEndOf(url, record, { lsn: manifest.lsn, sizeBytes })
      return { location: record.location, manifest, sizeBytes }
    } catch (err) {
      rmSync(partial, { recursive: true, force: true })
      if (isRecorded) await recordFailureOf(url, record, err)
      throw err
    }
  })
}

/** The files' bytes, the manifest left aside. */
export function sizeOf(manifest: Manifest): number {
  return filesOf(manifest).reduce((sum, { bytes }) => sum + bytes, 0)
}

async function recordEndOf(
  url: string,
  record: BackupRecord,
  end: { lsn: string; sizeBytes: number },
): Promise<void> {
  try {
    await withBackupSession(url, client => recordEnd(client, record, end))
  } catch (err) {
    throw new StackError(
      `${record.location} is a whole backup, but the database could not be told so: ${errorText(err)}`,
    )
  }
}

/** A database that has gone away knows nothing of the failure; the next backup writes it down. */
async function recordFailureOf(url: string, record: BackupRecord, err: unknown): Promise<void> {
  try {
    await withBackupSession(url, client => recordFailure(client, record, errorText(err)))
  } catch {
    // What went wrong first is what is told.
  }
}

interface Writing extends BackupSettings {
  readonly id: string
  readonly startedAt: string
  readonly isRecorded: boolean
}

async function writeAll(url: string, reader: Client, folder: string, writing: Writing): Promise<Manifest> {
  const { log, stopped, env } = writing
  const { tables, facts, schemaBy, sequences, ...texts } = await readSchema(url, reader, writing)
  const preData = writeFile(folder, PRE_DATA_FILE, texts.preData)
  const postData = writeFile(folder, POST_DATA_FILE, texts.postData)
  const copied: TableRows[] = []
  const progress = new Progress(tables.length, log)
  for (const [i, table] of tables.entries()) {
    stopped?.throwIfAborted()
    const rows = await copyTable(reader, table, join(folder, rowsFile(i)), progress.onBytes)
    copied.push(rows)
    progress.onTable(rows)
  }
  const manifest: Manifest = Manifest.parse({
    format: FORMAT,
    id: writing.id,
    started_at: writing.startedAt,
    quoin_version: quoinVersion(),
    schema_by: schemaBy,
    ...facts,
    secrets_key: secretsKeyFingerprint(writing.id, env.SECRETS_KEY),
    sequences,
    tables: copied,
    schema: { pre_data: preData, post_data: postData },
    objects: writeFile(folder, OBJECTS_FILE, `${texts.objects}\n`),
  })
  const text = `${JSON.stringify(manifest, undefined, 2)}\n`
  writeFile(folder, MANIFEST_FILE, text)
  writeFile(folder, MANIFEST_HASH_FILE, `${sha256Of(text)}\n`)
  syncFolder(folder)
  return manifest
}

const rowsFile = (i: number): string => `rows-${String(i + 1).padStart(5, '0')}.copy.gz`

async function copyTable(
  reader: Client,
  table: TableToCopy,
  path: string,
  onBytes: (bytes: number) => void,
): Promise<TableRows> {
  const { schema, name, columns } = table
  try {
    const { rowCount, plain, compressed } = await copyToFile(reader, copyOutSql(table), path, onBytes)
    const file = { file: basename(path), ...compressed }
    return { schema, name, columns: [...columns], row_count: rowCount, ...plain, compressed: file }
  } catch (cause) {
    throw new StackError(`${shownName(table)} cannot be copied: ${errorText(cause)}`)
  }
}

/** Says how far it is: at most a line in two seconds, and one at the end. */
class Progress {
  readonly #count: number
  readonly #log: (line: string) => void
  #done = 0
  #rowCount = 0
  #bytes = 0
  #saidAt = performance.now()

  constructor(count: number, log: (line: string) => void) {
    this.#count = count
    this.#log = log
  }

  readonly onBytes = (bytes: number): void => {
    this.#bytes += bytes
    if (performance.now() - this.#saidAt >= PROGRESS_INTERVAL_MS) this.#say()
  }

  onTable({ row_count }: TableRows): void {
    this.#done += 1
    this.#rowCount += row_count
    if (this.#done === this.#count) this.#say()
  }

  #say(): void {
    this.#saidAt = performance.now()
    const tables = `${this.#done} of ${this.#count} tables`
    this.#log(`rows: ${tables}, ${this.#rowCount} rows, ${shownBytes(this.#bytes)} compressed`)
  }
}

/** On the disk when this returns. */
function writeFile(folder: string, file: string, text: string): BackupFile {
  writeFileSync(join(folder, file), text, { flag: 'wx', mode: 0o600, flush: true })
  return { file, bytes: Buffer.byteLength(text), sha256: sha256Of(text) }
}

/** So that the names in it are on the disk too. */
function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r')
  fsyncSync(handle)
  closeSync(handle)
}

export function quoinVersion(): string {
  const { version } = JSON.parse(readFileSync(join(PROJECT_DIR, 'package.json'), 'utf8')) as {
    version: string
  }
  return version
}
