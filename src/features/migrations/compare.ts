// What the folder and the tracking table say together (Spec, States: Migration). Pure.

import { DomainError } from '../../errors.ts'
import { findFile, isRecordOf, isRecordOfUndo, type MigrationFile } from './migration-file.ts'
import type { TrackedMigration } from './runner/tracking-table.ts'
import type { MigrationStatusEntry } from './schemas.ts'

/** Every file in order, then what is recorded without one. */
export function compare(
  files: readonly MigrationFile[],
  tracked: readonly TrackedMigration[],
): MigrationStatusEntry[] {
  const byName = new Map(tracked.map(entry => [entry.name, entry]))
  const recordOf = ({ recordedAs, formerNames = [] }: MigrationFile) =>
    [recordedAs, ...formerNames].map(name => byName.get(name)).find(entry => entry !== undefined)
  const orphans = [...byName.values()].filter(
    ({ name }) => !files.some(file => isRecordOf(file, name)) && !isRecordOfUndo(files, name),
  )
  return [...files.map(file => entryOf(file, recordOf(file))), ...orphans.map(orphanOf)]
}

/** The pending files among those of `names` (all without), in the folder's order. Throws `migration_applied`. */
export function choosePending(
  files: readonly MigrationFile[],
  tracked: readonly TrackedMigration[],
  names: readonly string[] | undefined,
): MigrationFile[] {
  const chosen = new Set(names?.map(name => findFile(files, name)) ?? files)
  const entries = compare(files, tracked)
  const pending = files.filter((file, i) => chosen.has(file) && entries[i]?.state === 'pending')
  if (names === undefined || pending.length === chosen.size) return pending
  const applied = entries.filter(({ name, state }) => names.includes(name) && state !== 'pending')
  throw alreadyApplied(applied)
}

function alreadyApplied(entries: readonly MigrationStatusEntry[]): DomainError {
  const names = entries.map(({ name, applied_at }) => `${name} (${applied_at})`)
  const isModified = entries.some(({ state }) => state === 'modified')
  return new DomainError('migration_applied', `Already applied: ${names.join(', ')}. Nothing was changed.`, {
    hint: isModified
      ? 'A file that was changed afterwards does not run again: put the change into a new file, or accept the file.'
      : 'Leave it out.',
  })
}

function entryOf(file: MigrationFile, tracked: TrackedMigration | undefined): MigrationStatusEntry {
  const { name, hash: file_hash, problem = null } = file
  if (tracked === undefined)
    return { name, state: 'pending', applied_at: null, stored_hash: null, file_hash, problem }
  const { applied_at, stored_hash } = tracked
  const state = stored_hash === null || stored_hash === file_hash ? 'applied' : 'modified'
  // What has run is no problem any more, whatever its name or its form.
  return { name, state, applied_at, stored_hash, file_hash, problem: state === 'applied' ? null : problem }
}

function orphanOf({ name, applied_at, stored_hash }: TrackedMigration): MigrationStatusEntry {
  return { name, state: 'orphaned', applied_at, stored_hash, file_hash: '', problem: null }
}
