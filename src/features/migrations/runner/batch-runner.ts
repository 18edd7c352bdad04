// Runs migrations on a connection of the owner: all that can in ONE transaction, whatever they are written in, and
// those that cannot behind it, each by itself. The same for the Worker and for `npm run migrate`.

import { quoteIdentifier } from '../../../db/sql.ts'
import { DomainError, isOutcomeUnknown } from '../../../errors.ts'
import { type MigrationFile, trackedName } from '../migration-file.ts'
import { applyFile } from './apply-file.ts'
import { MigrationFailure } from './migration-failure.ts'
import { type MigrationDirection, planOf, type Shorthands, shorthandsOf } from './migration-steps.ts'
import { type Driver, isRefusal, runStatement } from './owner-session.ts'
import { type Ask, forget, record, type TrackedMigration, type TrackingTable } from './tracking-table.ts'

export interface BatchSettings {
  readonly table: TrackingTable
  /** All files of the folder, in order. */
  readonly files: readonly MigrationFile[]
  /** Schemas behind `public` that the names in migrations are looked up in. */
  readonly extraSearchPath: readonly string[]
  /** Longest that one statement may take, in milliseconds; 0: any time. */
  readonly statementTimeoutMs: number
  /** Told of each file before it runs. */
  readonly onFile?: (name: string) => void
}

export interface BatchResult {
  readonly applied: readonly MigrationFile[]
  /** Those that ran outside of the transaction; they are among the applied ones. */
  readonly outside: readonly MigrationFile[]
  readonly failure: MigrationFailure | null
  /** False where what failed ran outside of the transaction: what it had done is not taken back. */
  readonly isRolledBack: boolean
}

/** Longest that a statement waits for a lock: everybody who comes later waits behind it. */
const LOCK_TIMEOUT_MS = 5_000
const BOOKKEEPING_PATH = 'pg_catalog, pg_temp'
const USE_SETTINGS =
  "select pg_catalog.set_config('role', 'none', false), pg_catalog.set_config('search_path', $1, false), " +
  "pg_catalog.set_config('lock_timeout', $2, false), pg_catalog.set_config('statement_timeout', $3, false)"

/** Runs batches on one connection, which nobody else uses; the run lock is held by another. */
export class BatchRunner {
  readonly #driver: Driver
  readonly #settings: BatchSettings
  readonly #shorthands: ReadonlyMap<string, Shorthands>

  constructor(driver: Driver, settings: BatchSettings) {
    this.#driver = driver
    this.#settings = settings
    this.#shorthands = shorthandsOf(settings.files)
  }

  /** Asks what is Quoin's own: migrations may have left any setting behind. */
  readonly ask: Ask = async (sql, params) => {
    await this.#useSettings(BOOKKEEPING_PATH)
    return runStatement(this.#driver, sql, params)
  }

  /**
   * Applies the files, which are pending and in order. A failure takes back the whole transaction; a file that runs
   * outside of it fails by itself and ends the run. Throws `database_unavailable`.
   */
  async apply(batch: readonly MigrationFile[]): Promise<BatchResult> {
    const applied: MigrationFile[] = []
    const outside = await this.#outsiders(batch, 'up')
    const inside = batch.filter(file => !outside.includes(file))
    try {
      for (const file of batch) if (file.problem !== undefined) throw new MigrationFailure(file, file.problem)
      if (inside.length > 0) await this.#inTransaction(inside, file => this.#applyOne(file, true))
      applied.push(...inside)
      for (const file of outside) {
        await this.#applyOne(file, false)
        applied.push(file)
      }
      return { applied, outside, failure: null, isRolledBack: false }
    } catch (err) {
      if (!(err instanceof MigrationFailure)) throw err
      return {
        applied,
        outside: outside.filter(file => applied.includes(file)),
        failure: err,
        isRolledBack: !outside.includes(err.file) || err.file.problem !== undefined,
      }
    }
  }

  /** Takes back one applied migration. Throws `MigrationFailure`, and `database_unavailable`. */
  async takeBack(file: MigrationFile, tracked: TrackedMigration): Promise<void> {
    const [outsider] = await this.#outsiders([file], 'down')
    const work = async () => {
      await this.#run(file, 'down', outsider === undefined)
      await forget(this.ask, this.#settings.table, tracked)
    }
    await (outsider ? work() : this.#inTransaction([file], work))
  }

  async #applyOne(file: MigrationFile, inTransaction: boolean): Promise<void> {
    await this.#run(file, 'up', inTransaction)
    // A file that caught the error of a question has left a transaction in which nothing works any more.
    await record(this.ask, this.#settings.table, trackedName(file.name), file.hash).catch((err: unknown) => {
      throw isRefusal(err) ? new MigrationFailure(file, err) : err
    })
  }

  async #run(file: MigrationFile, direction: MigrationDirection, inTransaction: boolean): Promise<void> {
    this.#settings.onFile?.(file.name)
    await this.#useSettings(
      ['public', ...this.#settings.extraSearchPath, 'pg_temp'].map(quoteIdentifier).join(', '),
    )
    const shorthands = this.#shorthands.get(file.name) ?? {}
    await applyFile(this.#driver, { file, direction, shorthands, inTransaction })
  }

  async #inTransaction(
    files: readonly MigrationFile[],
    work: (file: MigrationFile) => Promise<void>,
  ): Promise<void> {
    await runStatement(this.#driver, 'begin')
    try {
      for (const file of files) await work(file)
    } catch (err) {
      // Where this fails too the connection is gone, and the transaction with it.
      await runStatement(this.#driver, 'rollback').catch(() => undefined)
      throw isOutcomeUnknown(err) ? brokeBeforeCommit(err) : err
    }
    await this.#commit(files)
  }

  /** Constraints that are deferred are checked here: which of the files broke one is not told. */
  async #commit(files: readonly MigrationFile[]): Promise<void> {
    try {
      await runStatement(this.#driver, 'commit')
    } catch (err) {
      const last = files.at(-1)
      if (!isRefusal(err) || last === undefined) throw err
      throw new MigrationFailure(last, err, { excerpt: 'COMMIT', line: null })
    }
  }

  /** Those of the files that ask to run outside of a transaction. */
  async #outsiders(files: readonly MigrationFile[], direction: MigrationDirection): Promise<MigrationFile[]> {
    const plans = files.map(file => planOf(file, direction, this.#shorthands.get(file.name) ?? {}))
    const uses = await Promise.all(plans.map(async plan => (await plan).usesTransaction))
    return files.filter((_, i) => !uses[i])
  }

  /** Said anew before each file: the one before may have set anything. */
  async #useSettings(searchPath: string): Promise<void> {
    const values = [searchPath, String(LOCK_TIMEOUT_MS), String(this.#settings.statementTimeoutMs)]
    await runStatement(this.#driver, USE_SETTINGS, values)
  }
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
