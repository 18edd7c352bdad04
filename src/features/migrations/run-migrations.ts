// Running pending migrations, marking as applied and accepting a changed file, for the dashboard. Each under the run
// lock and with an audit row around it.

import { DomainError } from '../../errors.ts'
import { type AuditDeps, audited } from '../audit/audited.ts'
import type { Caller } from '../audit/caller.ts'
import { choosePending, compare } from './compare.ts'
import type { MigrationRunDeps } from './migration-deps.ts'
import { findFile, isRecordOf, type MigrationFile } from './migration-file.ts'
import { nothingToRun, runResult } from './run-result.ts'
import { type BatchResult, BatchRunner } from './runner/batch-runner.ts'
import { takeRunLock } from './runner/run-lock.ts'
import { readTracked, record, reserveRows, storeHash, USER_MIGRATIONS } from './runner/tracking-table.ts'
import type { MigrationStatusEntry, RunResult } from './schemas.ts'

type RunDeps = MigrationRunDeps & AuditDeps

const NOTHING: BatchResult = { parts: [], applied: [], outside: [], failure: null, isRolledBack: false }

/**
 * Runs the named pending migrations, all without names, and tells what happened: a migration that fails is an answer,
 * with `ok: false`. Throws `not_found`, `migration_applied`, `migrations_running`, `tracking_table_unusable` and
 * `database_unavailable`.
 */
export async function runMigrations(
  deps: RunDeps,
  caller: Caller,
  names: readonly string[] | undefined,
): Promise<RunResult> {
  for (const name of names ?? []) findFile(deps.migrations.files, name)
  return withRunner(deps, async runner => {
    const tracked = await readTracked(runner.ask, USER_MIGRATIONS)
    const batch = choosePending(deps.migrations.files, tracked, names)
    if (batch.length === 0) return { ...runResult(NOTHING), summary: nothingToRun(deps.migrations) }
    return auditedRun(deps, caller, batch, runner)
  })
}

/** Records a pending migration as applied without running it. Throws as `runMigrations` does. */
export async function markApplied(
  deps: RunDeps,
  caller: Caller,
  name: string,
): Promise<MigrationStatusEntry> {
  const file = findFile(deps.migrations.files, name)
  return withRunner(deps, async runner => {
    const before = await readTracked(runner.ask, USER_MIGRATIONS)
    choosePending(deps.migrations.files, before, [name])
    const change = { targetKind: 'migration', targetId: name }
    return audited(deps, caller, change, async () => {
      const [row] = await reserveRows(runner.ask, USER_MIGRATIONS, 1)
      if (row) await record(runner.ask, USER_MIGRATIONS, row, file.recordedAs, file.hash)
      const result = await entryNow(runner, file)
      return { result, after: { hash: file.hash } }
    })
  })
}

/**
 * Takes the file of an applied migration as it is now, so that it no longer counts as modified. Throws
 * `migration_not_modified`, and as `runMigrations` does.
 */
export async function acceptMigration(
  deps: RunDeps,
  caller: Caller,
  name: string,
): Promise<MigrationStatusEntry> {
  const file = findFile(deps.migrations.files, name)
  return withRunner(deps, async runner => {
    const tracked = await readTracked(runner.ask, USER_MIGRATIONS)
    const row = tracked.findLast(entry => isRecordOf(file, entry.name))
    if (row === undefined || row.stored_hash === file.hash) throw notModified(name, row !== undefined)
    const before = { hash: row.stored_hash }
    const change = { targetKind: 'migration', targetId: name, before }
    return audited(deps, caller, change, async () => {
      await storeHash(runner.ask, row, file.hash)
      return { result: await entryNow(runner, file), after: { hash: file.hash } }
    })
  })
}

function withRunner<T>(deps: MigrationRunDeps, work: (runner: BatchRunner) => Promise<T>): Promise<T> {
  return deps.ownerConnections(async (lock, connection) => {
    const { assertLocked } = await takeRunLock(lock)
    return work(
      new BatchRunner(connection, {
        assertLocked,
        table: USER_MIGRATIONS,
        files: deps.migrations.files,
        extraSearchPath: deps.config.dbExtraSearchPath,
        statementTimeoutMs: deps.config.migrationStatementTimeoutMs,
      }),
    )
  })
}

/** To the audit log a run has failed when nothing of it is applied; else it says what is, and what failed. */
async function auditedRun(
  deps: RunDeps,
  caller: Caller,
  batch: readonly MigrationFile[],
  runner: BatchRunner,
): Promise<RunResult> {
  const before = { migrations: batch.map(file => file.name) }
  const change = { targetKind: 'migration', targetId: null, before }
  let result: RunResult | undefined
  try {
    return await audited(deps, caller, change, async () => {
      result = runResult(await runner.apply(batch))
      const { applied, failed } = result
      if (failed && applied.length === 0) throw new DomainError('migration_failed', result.summary)
      return { result, after: { applied, ...(failed && { failed: failed.name }) } }
    })
  } catch (err) {
    if (result !== undefined && err instanceof DomainError && err.code === 'migration_failed') return result
    throw err
  }
}

async function entryNow(runner: BatchRunner, file: MigrationFile): Promise<MigrationStatusEntry> {
  const [entry] = compare([file], await readTracked(runner.ask, USER_MIGRATIONS))
  if (entry === undefined) throw new Error('every file has an entry')
  return entry
}

function notModified(name: string, isApplied: boolean): DomainError {
  const message = isApplied ? `${name} is as it was when it was applied.` : `${name} is not applied.`
  return new DomainError('migration_not_modified', message, {
    hint: 'Nothing was changed. Only a file that was changed after it was applied can be accepted.',
  })
}
