// Opens a backup, and refuses what is none, is not whole, was changed, or is newer than what reads it.

import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { readMigrationFolder } from '../migration-folder.ts'
import { StackError } from '../support/output.ts'
import { PROJECT_DIR } from '../support/project.ts'
import {
  type BackupFile,
  FORMAT,
  filesOf,
  MANIFEST_FILE,
  MANIFEST_HASH_FILE,
  Manifest,
  sha256Of,
} from './manifest.ts'
import { measureFile } from './rows.ts'
import { PARTIAL_PREFIX, quoinVersion } from './write-backup.ts'

export interface Backup {
  readonly folder: string
  readonly manifest: Manifest
}

/**
 * The backup in this folder, with every file's size and hash compared. Throws a `StackError` that names the file which
 * is missing, cut off or changed.
 */
export async function openBackup(place: string): Promise<Backup> {
  const folder = resolve(place)
  const manifest = readManifest(folder)
  for (const file of filesOf(manifest)) await refuseChanged(folder, file)
  return { folder, manifest }
}

/** Throws a `StackError` for a backup of a newer Quoin, or of a newer Postgres than this server's. */
export function refuseNewer({ manifest }: Backup, serverVersionNumber: number): void {
  const major = (version: number) => Math.floor(version / 10_000)
  if (major(manifest.postgres_version_number) > major(serverVersionNumber))
    throw new StackError(
      `the backup is of Postgres ${manifest.postgres_version}, and this server is Postgres ` +
        `${major(serverVersionNumber)}: restore it into the same or a newer major version`,
    )
  const known = readMigrationFolder(join(PROJECT_DIR, 'migrations/platform')).map(it => it.recordedAs)
  const unknown = manifest.platform_migrations.filter(name => !known.includes(name))
  if (unknown.length > 0)
    throw new StackError(
      `the backup is of a newer Quoin (${manifest.quoin_version}; this is ${quoinVersion()}), which has ` +
        `${unknown.join(', ')}: restore it with a checkout of that version`,
    )
}

function readManifest(folder: string): Manifest {
  if (basename(folder).startsWith(PARTIAL_PREFIX))
    throw new StackError(`${folder} is a backup that was cut off: nothing can be restored from it`)
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new StackError(`there is no folder ${folder}; a backup is the folder that \`npm run backup\` names`)
  const text = readText(folder, MANIFEST_FILE)
  if (readText(folder, MANIFEST_HASH_FILE).trim() !== sha256Of(text))
    throw new StackError(`${join(folder, MANIFEST_FILE)} was changed since the backup: its hash is another`)
  const json: unknown = JSON.parse(text)
  const format = (json as { format?: unknown }).format
  if (typeof format === 'number' && format > FORMAT)
    throw new StackError(
      `the backup has format ${format}, of a newer Quoin; this one reads up to ${FORMAT}: ` +
        'use a checkout of that version',
    )
  const { data, error } = Manifest.safeParse(json)
  if (error)
    throw new StackError(`${join(folder, MANIFEST_FILE)} is not a manifest: ${error.issues[0]?.message}`)
  return data
}

function readText(folder: string, file: string): string {
  try {
    return readFileSync(join(folder, file), 'utf8')
  } catch {
    const backups = listBackups(folder)
    const inside = backups.length === 0 ? '' : `; there are backups in it: ${backups.slice(0, 3).join(', ')}`
    throw new StackError(`${folder} is no whole backup: it has no ${file}${inside}`)
  }
}

/** Names of the folders below this one that look like backups, newest first. */
function listBackups(folder: string): string[] {
  const names = readdirSync(folder).filter(name => !name.startsWith('.'))
  return names
    .filter(name => statSync(join(folder, name, MANIFEST_FILE), { throwIfNoEntry: false }) !== undefined)
    .toSorted()
    .toReversed()
}

async function refuseChanged(folder: string, { file, bytes, sha256 }: BackupFile): Promise<void> {
  const path = join(folder, file)
  const size = statSync(path, { throwIfNoEntry: false })?.size
  if (size === undefined) throw new StackError(`the backup is not whole: ${path} is missing`)
  if (size < bytes) throw new StackError(`the backup is cut off: ${path} has ${size} of ${bytes} bytes`)
  if (size > bytes || (await measureFile(path)).sha256 !== sha256)
    throw new StackError(`the backup was changed: ${path} is not what was written`)
}
