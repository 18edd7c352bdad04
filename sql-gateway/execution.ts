/**
 * Owns one batch from the wait for a connection to its answer: deadline, cancelling, result cap, the one repeat with
 * fresh names, and leaving the connection clean for the next. Must not know HTTP.
 */
import type { Batch, BatchAnswer } from './batch.ts'
import { BatchRun, type Repeat } from './batch-run.ts'
import type { ByteAccount } from './byte-budget.ts'
import { requestCancel } from './cancel.ts'
import type { ConnectionPool, Waiter } from './connection-pool.ts'
import { gatewayError, resultTooLarge, type SqlError, unknownOutcome } from './errors.ts'
import type { ConnectionUser, PostgresConnection } from './postgres-connection.ts'
import type { Caller } from './shares.ts'

export interface ExecutionLimits {
  resultBytesMax: number
  /** How long Postgres has to react to a cancel before the connection is destroyed and its backend terminated. */
  cancelGraceMs: number
}

/** Called exactly once, unless the batch was aborted. */
export type Answer = (result: BatchAnswer | SqlError) => void

const RESET_TIMEOUT_MS = 5_000

export class Execution implements Waiter, ConnectionUser {
  readonly #batch: Batch
  readonly #pool: ConnectionPool
  readonly #limits: ExecutionLimits
  readonly #account: ByteAccount
  readonly #resultBytesMax: number
  #deadline: NodeJS.Timeout | undefined
  #answer: Answer | undefined
  #connection: PostgresConnection | undefined
  #run: BatchRun
  #resultBytes = 0
  /** Why the batch was cancelled; it is the answer unless the batch turns out to have succeeded all the same. */
  #cancelledFor: SqlError | undefined
  #isDiscarding = false
  #isRepeat = false
  #grace: NodeJS.Timeout | undefined

  constructor(
    batch: Batch,
    pool: ConnectionPool,
    limits: ExecutionLimits,
    account: ByteAccount,
    answer: Answer,
  ) {
    this.#batch = batch
    this.#pool = pool
    this.#limits = limits
    this.#account = account
    this.#resultBytesMax = Math.min(batch.resultBytesMax ?? limits.resultBytesMax, limits.resultBytesMax)
    this.#answer = answer
    this.#run = new BatchRun(batch)
  }

  get caller(): Caller | undefined {
    return this.#batch.caller
  }

  /** Begins to wait for a connection; the answer may come before this returns. */
  start(): void {
    this.#deadline = setTimeout(() => this.#onDeadline(), this.#batch.deadlineMs)
    this.#pool.acquire(this)
  }

  /** Stops the batch since nobody waits for its answer any more. */
  abort(): void {
    if (this.#answer === undefined) return
    this.#answer = undefined
    clearTimeout(this.#deadline)
    this.#pool.leave(this)
    if (this.#connection === undefined) return
    this.#discard(this.#connection)
    this.#cancel(gatewayError('57014', 'the caller closed the request'))
  }

  onConnection(connection: PostgresConnection): void {
    this.#connection = connection
    this.#launch(connection)
  }

  onFailure(error: SqlError): void {
    this.#finish(error)
  }

  onBytes(bytes: number): void {
    this.#resultBytes += bytes
    const resultBytesMax = this.#resultBytesMax
    if (this.#isDiscarding) {
      this.#boundHeld()
      return
    }
    const refusal =
      this.#resultBytes > resultBytesMax
        ? resultTooLarge('result', resultBytesMax, 'undone')
        : this.#account.take(bytes)
    if (refusal === undefined || this.#connection === undefined) return
    this.#discard(this.#connection)
    this.#cancel(refusal)
  }

  /** Rows are dropped by now; what still piles up is one endless message, nearly always an error. */
  #boundHeld(): void {
    const connection = this.#connection
    if (connection === undefined || connection.bytesHeld <= this.#resultBytesMax) return
    if (connection.isHoldingError && !this.#run.isCommitted) this.#run.error ??= this.#cancelledFor
    connection.destroy()
  }

  onFrame(code: number, bytes: Buffer, start: number, end: number): void {
    const connection = this.#connection
    if (connection === undefined) return
    const next = this.#run.onFrame(code, bytes, start, end)
    if (next === 'continue') return
    if (next === 'ready') this.#onReady(connection)
    else if (next === 'send_end') connection.write(writer => this.#run.writeEnd(writer))
    else this.#onCopyRefused(connection)
  }

  onClosed(error: SqlError): void {
    this.#connection = undefined
    const run = this.#run
    if (run.isCommitted) this.#finish(this.#wholeResult(this.#cancelledFor ?? error))
    else if (run.isUndone) this.#finish(run.error ?? error)
    else this.#finish(this.#errorOfLost(run.error ?? this.#cancelledFor ?? error))
  }

  #launch(connection: PostgresConnection): void {
    connection.use(this)
    connection.write(writer => this.#run.write(writer, connection.names))
  }

  #onReady(connection: PostgresConnection): void {
    const run = this.#run
    this.#connection = undefined
    if (this.#batch.isOwn) run.takeBackNames(connection.names)
    if (this.#cancelledFor !== undefined) {
      // The signal of a cancel may still be on its way: it must not hit the next batch.
      this.#finish(run.isComplete ? this.#wholeResult(this.#cancelledFor) : this.#cancelledFor)
      // A reset that was sent along may wait for locks: its backend counts until it is gone.
      if (run.isResetBehindSync) this.#terminate(connection, 'its batch was cancelled')
      else drop(connection)
      return
    }
    const repeat = this.#isRepeat ? undefined : run.repeat
    if (repeat !== undefined) {
      this.#repeat(connection, repeat)
      return
    }
    this.#clean(connection, run, run.isWhole ? [] : ['ROLLBACK', run.reset], isClean => {
      if (isClean && !this.#batch.closesConnection) this.#pool.release(connection)
      else drop(connection)
    })
    this.#finish(run.isComplete ? run.answer() : (run.error ?? desynchronised()))
  }

  /** Nothing was committed: Postgres skipped the COMMIT. */
  #repeat(connection: PostgresConnection, repeat: Repeat): void {
    const failed = this.#run
    this.#isRepeat = true
    this.#run = new BatchRun(this.#batch, repeat)
    const rollback = failed.status === 'I' ? [] : ['ROLLBACK']
    const areLost = repeat.reason === 'names_lost'
    const forget = areLost ? ['DEALLOCATE ALL'] : []
    this.#clean(connection, failed, [...rollback, ...forget, failed.reset], isClean => {
      if (areLost) connection.names.clear()
      if (!isClean) {
        drop(connection)
        this.#finish(failed.error ?? desynchronised())
      } else if (this.#answer === undefined) this.#pool.release(connection)
      else this.onConnection(connection)
    })
  }

  /**
   * Waits for a reset that was sent behind the Sync, then runs `more`, and tells whether the session is as good as new.
   * Where a reset failed or was skipped, `more` ends with another, whose own failure closes the session.
   */
  #clean(
    connection: PostgresConnection,
    run: BatchRun,
    more: readonly string[],
    done: (isClean: boolean) => void,
  ): void {
    if (!run.isResetBehindSync && more.length === 0) {
      done(true)
      return
    }
    const timer = setTimeout(() => {
      this.#terminate(connection, 'it could not be reset in time')
      done(false)
    }, RESET_TIMEOUT_MS)
    const finish = (error: SqlError | undefined): void => {
      clearTimeout(timer)
      done(error === undefined)
    }
    const next = (error: SqlError | undefined): void => {
      if (more.length === 0 || !connection.isUsable) finish(error)
      else connection.command(more, finish)
    }
    if (run.isResetBehindSync) connection.awaitReady(1, next)
    else next(undefined)
  }

  #terminate(connection: PostgresConnection, reason: string): void {
    connection.use(undefined)
    this.#pool.terminate(connection, reason)
  }

  /** From now on nobody wants the rows that come. */
  #discard(connection: PostgresConnection): void {
    this.#isDiscarding = true
    connection.discardRows()
  }

  #onCopyRefused(connection: PostgresConnection): void {
    this.#connection = undefined
    drop(connection)
    this.#finish(this.#run.error ?? desynchronised())
  }

  #onDeadline(): void {
    if (this.#answer === undefined) return
    if (this.#connection === undefined) {
      this.#pool.leave(this)
      this.#finish(this.#pool.exhausted(this))
      return
    }
    const { deadlineMs } = this.#batch
    this.#cancel(
      gatewayError('57014', `canceling statement due to the gateway's deadline of ${deadlineMs} ms`),
    )
  }

  #cancel(reason: SqlError): void {
    const connection = this.#connection
    if (connection === undefined || this.#cancelledFor !== undefined) return
    this.#cancelledFor = reason
    this.#grace = setTimeout(
      () => this.#pool.terminate(connection, 'Postgres did not react to a cancel'),
      this.#limits.cancelGraceMs,
    )
    void requestCancel(connection.entry, connection.processId, connection.secretKey)
  }

  /**
   * Of a batch that came to its end, whatever came too late for it. Its rows are gone where they were discarded for
   * `reason`.
   */
  #wholeResult(reason: SqlError): BatchAnswer | SqlError {
    if (!this.#isDiscarding) return this.#run.answer()
    if (this.#batch.isRolledBack) return reason
    return resultTooLarge('result', Math.min(this.#resultBytes, this.#resultBytesMax), 'committed')
  }

  /** With the connection went the answer to a COMMIT that Postgres may have got, or may still come to. */
  #errorOfLost(error: SqlError): SqlError {
    if (this.#batch.isRolledBack) return error
    const detail = 'The batch may have been committed.'
    return unknownOutcome(gatewayError('08007', error.message, { severity: 'FATAL', detail }))
  }

  #finish(result: BatchAnswer | SqlError): void {
    clearTimeout(this.#deadline)
    clearTimeout(this.#grace)
    const answer = this.#answer
    this.#answer = undefined
    answer?.(result)
  }
}

function drop(connection: PostgresConnection): void {
  connection.use(undefined)
  connection.destroy()
}

function desynchronised(): SqlError {
  const message = 'Postgres ended the batch before all of its statements were answered'
  return unknownOutcome(gatewayError('08P01', message))
}
