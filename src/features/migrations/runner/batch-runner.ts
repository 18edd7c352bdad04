// Runs migrations on a connection of the owner, in the order of the files: all in ONE transaction, whatever they are
// written in. A file that asks for none ends it, runs by itself, and those behind it have the next transaction. The
// same for the Worker and for `npm run migrate`.

import { quoteIdentifier } from '../../../db/sql.ts'
import { DomainError, isOutcomeUnknown } from '../../../errors.ts'
import type { MigrationFile } from '../migration-file.ts'
import { applyFile } from './apply-file.ts'
import { type BatchPart, partsOf } from './batch-parts.ts'
import { MigrationFailure, textOf } from './migration-failure.ts'
import { type MigrationDirection, planOf, type Shorthands, shorthandsOf } from './migration-steps.ts'
import { type Driver, isRefusal, runStatement, sendStatement } from './owner-session.ts'
import {
  type Ask,
  forget,
  type ReservedRow,
  record,
  reserveRows,
  type TrackedMigration,
  type TrackingTable,
} from './tracking-table.ts'

export interface BatchSettings {
  readonly table: TrackingTable
  /** All files of the folder, in order. */
  readonly files: readonly MigrationFile[]
  /** Schemas behind `public` that the names in migrations are looked up in. */
  readonly extraSearchPath: readonly string[]
  /** Longest that one statement may take, in milliseconds; 0: any time. */
  readonly statementTimeoutMs: number
  /** Throws when the run lock is lost: somebody else may run then. */
  readonly assertLocked: () => Promise<void>
  /** Told of the parts before the first runs. */
  readonly onParts?: (parts: BatchResult['parts']) => void
  /** Told of each file before it runs. */
  readonly onFile?: (name: string) => void
}

export interface BatchResult {
  /** What was to run, as it is committed; none where it failed before that was known. */
  readonly parts: readonly BatchPart<MigrationFile>[]
  /** Those that are committed. */
  readonly applied: readonly MigrationFile[]
  /** Those that ran outside of the transaction; they are among the applied ones. */
  readonly outside: readonly MigrationFile[]
  readonly failure: MigrationFailure | null
  /** False where what failed ran outside of a transaction: what it had done is not taken back. */
  readonly isRolledBack: boolean
}

/** Longest that a statement waits for a lock: everybody who comes later waits behind it. */
const LOCK_TIMEOUT_MS = 5_000
const BOOKKEEPING_PATH = 'pg_catalog, pg_temp'
const USE_SETTINGS =
  "select pg_catalog.set_config('role', 'none', $4), pg_catalog.set_config('search_path', $1, $4), " +
  "pg_catalog.set_config('lock_timeout', $2, $4), pg_catalog.set_config('statement_timeout', $3, $4), " +
  "pg_catalog.set_config('application_name', 'quoin:migrations', $4)"

/** Runs batches on one connection, which nobody else uses; the run lock is held by another. */
export class BatchRunner {
  readonly #driver: Driver
  readonly #settings: BatchSettings
  readonly #shorthands: ReadonlyMap<string, Shorthands>
  #isInTransaction = false
  /** Who is connected, once it was asked. */
  #owner: string | undefined

  constructor(driver: Driver, settings: BatchSettings) {
    this.#driver = driver
    this.#settings = settings
    this.#shorthands = shorthandsOf(settings.files)
  }

  /** Asks what is Quoin's own, in the transaction of the batch or in one of its own. */
  readonly ask: Ask = async <Row>(sql: string, params?: readonly (string | null)[]) => {
    const askHere = async () => {
      await this.#useSettings(BOOKKEEPING_PATH, LOCK_TIMEOUT_MS)
      return runStatement<Row>(this.#driver, sql, params)
    }
    return this.#isInTransaction ? askHere() : this.#inTransaction(askHere)
  }

  /**
   * Applies the files, which are pending and in order. A failure takes back its part of the run and ends it; parts
   * before it are committed. Throws `tracking_table_unusable`, `table_busy` and `database_unavailable`.
   */
  async apply(batch: readonly MigrationFile[]): Promise<BatchResult> {
    const applied: MigrationFile[] = []
    let parts: BatchResult['parts'] = []
    const isOutside = (file: MigrationFile) =>
      parts.some(part => !part.inTransaction && part.files.includes(file))
    const result = (failure: MigrationFailure | null): BatchResult => ({
      parts,
      applied,
      outside: applied.filter(isOutside),
      failure,
      isRolledBack: failure !== null && !isOutside(failure.file),
    })
    try {
      const outside = await this.#outsiders(batch, 'up')
      parts = partsOf(batch, file => outside.includes(file))
      this.#settings.onParts?.(parts)
      const rows = await this.#reserveRows(batch)
      for (const { files, inTransaction } of parts) {
        await (inTransaction ? this.#applyTogether(files, rows) : this.#applyAlone(files, rows))
        applied.push(...files)
      }
      return result(null)
    } catch (err) {
      if (err instanceof MigrationFailure) return result(err)
      throw applied.length > 0 && err instanceof DomainError ? brokeBehind(applied, err) : err
    }
  }

  /** Takes back one applied migration. Throws `MigrationFailure`, and as `apply`. */
  async takeBack(file: MigrationFile, tracked: TrackedMigration): Promise<void> {
    const [outsider] = await this.#outsiders([file], 'down')
    const takeBack = async () => {
      await this.#run(file, 'down')
      await this.#blame(file, forget(this.ask, this.#settings.table, tracked))
    }
    await (outsider ? takeBack() : this.#inTransaction(takeBack))
  }

  async #applyAlone(files: readonly MigrationFile[], rows: RowsByFile): Promise<void> {
    for (const file of files) {
      await this.#settings.assertLocked()
      await this.#run(file, 'up')
      await this.#recordOutsider(file, rows)
    }
  }

  async #applyTogether(files: readonly MigrationFile[], rows: RowsByFile): Promise<void> {
    let last = files[0]
    try {
      await this.#inTransaction(async () => {
        for (const file of files) {
          last = file
          await this.#runWithin(file)
          await this.#record(file, rows)
        }
        await this.#settings.assertLocked()
      })
    } catch (err) {
      // Only COMMIT is left: deferred constraints are checked there. Which of the files broke one is not told.
      if (!isRefusal(err) || last === undefined) throw err
      throw new MigrationFailure(last, err, { excerpt: 'COMMIT', line: null })
    }
  }

  /** A file that goes back behind its own beginning takes others' work with it, and its savepoint: that is told. */
  async #runWithin(file: MigrationFile): Promise<void> {
    await runStatement(this.#driver, 'savepoint quoin_file')
    await this.#run(file, 'up')
    await this.#blame(file, runStatement(this.#driver, 'release savepoint quoin_file'))
  }

  async #run(file: MigrationFile, direction: MigrationDirection): Promise<void> {
    const { onFile, extraSearchPath, statementTimeoutMs } = this.#settings
    const inTransaction = this.#isInTransaction
    onFile?.(file.name)
    // The file before may have set anything.
    await runStatement(this.#driver, 'reset all')
    const path = ['public', ...extraSearchPath, 'pg_temp'].map(quoteIdentifier).join(', ')
    // CREATE INDEX CONCURRENTLY waits for older transactions, and nobody waits for it meanwhile.
    await this.#useSettings(path, inTransaction ? LOCK_TIMEOUT_MS : 0)
    const shorthands = this.#shorthands.get(file.name) ?? {}
    if (inTransaction) this.#owner ??= await this.#whoRuns()
    await applyFile(this.#driver, {
      file,
      direction,
      shorthands,
      inTransaction,
      timeoutMs: statementTimeoutMs,
      beforeRoleChange: () => this.#runDeferred(file),
    })
    await this.#runDeferred(file)
  }

  /**
   * Runs what is deferred while the file has another role. Up to version 17 Postgres would run triggers of that
   * role's tables as the owner at COMMIT; from 18 on it keeps who queued them.
   */
  async #runDeferred(file: MigrationFile): Promise<void> {
    if (!this.#isInTransaction) return
    const run = async () => {
      if ((await this.#whoRuns()) !== this.#owner)
        await runStatement(this.#driver, 'set constraints all immediate')
    }
    await this.#blame(file, run())
  }

  async #whoRuns(): Promise<string | undefined> {
    const [row] = await runStatement<{ name: string }>(this.#driver, 'select current_user as name')
    return row?.name
  }

  async #reserveRows(batch: readonly MigrationFile[]): Promise<RowsByFile> {
    if (batch.length === 0) return new Map()
    const rows = await reserveRows(this.ask, this.#settings.table, batch.length)
    return new Map(batch.map((file, i) => [file, rows[i]]))
  }

  async #record(file: MigrationFile, rows: RowsByFile): Promise<void> {
    const row = rows.get(file)
    if (row === undefined) throw new Error(`no row was kept for ${file.name}`)
    const { table } = this.#settings
    await this.#blame(file, record(this.ask, table, row, file.recordedAs, file.hash))
  }

  /** What cannot be recorded has run all the same. */
  async #recordOutsider(file: MigrationFile, rows: RowsByFile): Promise<void> {
    try {
      await this.#record(file, rows)
    } catch (err) {
      throw new MigrationFailure(
        file,
        `It ran, and could not be recorded: mark it as applied. ${textOf(err)}`,
      )
    }
  }

  /** A file that caught the error of a question has left a transaction in which nothing works any more. */
  async #blame(file: MigrationFile, bookkeeping: Promise<unknown>): Promise<void> {
    try {
      await bookkeeping
    } catch (err) {
      throw isRefusal(err) ? new MigrationFailure(file, err) : err
    }
  }

  async #inTransaction<T>(work: () => Promise<T>): Promise<T> {
    await runStatement(this.#driver, 'begin')
    this.#isInTransaction = true
    try {
      const result = await work()
      this.#isInTransaction = false
      const { command } = await sendStatement(this.#driver, 'commit')
      // Postgres takes the end of a failed transaction for granted, and says what it did.
      if (command !== 'COMMIT')
        throw new DomainError(
          'migration_failed',
          'The transaction had failed before its end; nothing was changed.',
        )
      return result
    } catch (err) {
      if (!this.#isInTransaction) throw err
      this.#isInTransaction = false
      // Where this fails too the connection is gone, and the transaction with it.
      await runStatement(this.#driver, 'rollback').catch(() => undefined)
      throw isOutcomeUnknown(err) ? brokeBeforeCommit(err) : err
    }
  }

  /** Those of the files that ask to run outside of a transaction. Throws `MigrationFailure` for what cannot run. */
  async #outsiders(files: readonly MigrationFile[], direction: MigrationDirection): Promise<MigrationFile[]> {
    const broken = files.find(file => file.problem !== undefined)
    if (broken) throw new MigrationFailure(broken, broken.problem)
    const plans = await Promise.all(
      files.map(file => planOf(file, direction, this.#shorthands.get(file.name) ?? {})),
    )
    files.forEach((file, i) => {
      if (plans[i]?.neverEnds) throw new MigrationFailure(file, plans[i].unknown)
    })
    return files.filter((_, i) => !plans[i]?.usesTransaction)
  }

  /** Within a transaction they end with it: behind a transaction pooler the connection is somebody else's then. */
  async #useSettings(searchPath: string, lockTimeoutMs: number): Promise<void> {
    const { statementTimeoutMs } = this.#settings
    const values = [
      searchPath,
      String(lockTimeoutMs),
      String(statementTimeoutMs),
      String(this.#isInTransaction),
    ]
    await runStatement(this.#driver, USE_SETTINGS, values)
  }
}

type RowsByFile = ReadonlyMap<MigrationFile, ReservedRow | undefined>

/** What has ended a run behind parts that are committed. */
function brokeBehind(applied: readonly MigrationFile[], err: DomainError): DomainError {
  const { hint, retryAfterSeconds, outcomeUnknown } = err
  return new DomainError(err.code, err.message.replace('nothing was changed', 'nothing more was changed'), {
    detail: [err.detail, `Committed before it: ${applied.map(({ name }) => name).join(', ')}.`]
      .filter(Boolean)
      .join(' '),
    cause: err,
    outcomeUnknown,
    ...(hint !== undefined && { hint }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  })
}

function brokeBeforeCommit(cause: unknown): DomainError {
  return new DomainError(
    'database_unavailable',
    'The connection to the database broke; nothing was changed.',
    {
      cause,
      retryAfterSeconds: 5,
    },
  )
}
