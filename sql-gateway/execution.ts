/**
 * Owns one batch from the wait for a connection to its answer: deadline, cancelling, result cap, the one repeat with
 * fresh names, and leaving the connection clean for the next. Must not know HTTP.
 */
import type { Batch, BatchAnswer } from './batch.ts'
import { BatchRun } from './batch-run.ts'
import { requestCancel } from './cancel.ts'
import type { ConnectionPool, Waiter } from './connection-pool.ts'
import { gatewayError, SqlError } from './errors.ts'
import type { ConnectionUser, PostgresConnection } from './postgres-connection.ts'
import { RESET_OWN } from './session-state.ts'

export interface ExecutionLimits {
  resultBytesMax: number
  /** How long Postgres has to react to a cancel before the connection is destroyed and its backend terminated. */
  cancelGraceMs: number
}

/** Called exactly once, unless the batch was aborted. */
export type Answer = (outcome: BatchAnswer | SqlError) => void

const RESET_TIMEOUT_MS = 5_000

export class Execution implements Waiter, ConnectionUser {
  readonly #batch: Batch
  readonly #pool: ConnectionPool
  readonly #limits: ExecutionLimits
  readonly #resultBytesMax: number
  #deadline: NodeJS.Timeout | undefined
  #answer: Answer | undefined
  #connection: PostgresConnection | undefined
  #run: BatchRun
  #resultBytes = 0
  /** Why the batch was cancelled; it is the answer unless the batch turns out to have succeeded all the same. */
  #cancelledFor: SqlError | undefined
  #isOverResultCap = false
  #isRepeat = false
  #grace: NodeJS.Timeout | undefined

  constructor(batch: Batch, pool: ConnectionPool, limits: ExecutionLimits, answer: Answer) {
    this.#batch = batch
    this.#pool = pool
    this.#limits = limits
    this.#resultBytesMax = Math.min(batch.resultBytesMax ?? limits.resultBytesMax, limits.resultBytesMax)
    this.#answer = answer
    this.#run = new BatchRun(batch)
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
    if (this.#connection !== undefined) this.#cancel(gatewayError('57014', 'the caller closed the request'))
  }

  onConnection(connection: PostgresConnection): void {
    this.#connection = connection
    this.#launch(connection)
  }

  onFailure(error: SqlError): void {
    this.#settle(error)
  }

  onBytes(bytes: number): void {
    this.#resultBytes += bytes
    const resultBytesMax = this.#resultBytesMax
    if (this.#resultBytes <= resultBytesMax) return
    // Rows are dropped by now; what still piles up is one endless error message.
    if (this.#isOverResultCap && (this.#connection?.bytesHeld ?? 0) > resultBytesMax)
      this.#connection?.destroy()
    if (this.#isOverResultCap) return
    this.#isOverResultCap = true
    this.#connection?.discardRows()
    this.#cancel(gatewayError('54000', `result larger than ${resultBytesMax} bytes; use LIMIT or a cursor`))
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
    this.#settle(this.#run.error ?? this.#cancelledFor ?? error)
  }

  #launch(connection: PostgresConnection): void {
    connection.use(this)
    connection.write(writer => this.#run.write(writer, connection.names))
  }

  #onReady(connection: PostgresConnection): void {
    const run = this.#run
    this.#connection = undefined
    if (this.#batch.isOwn) run.settleNames(connection.names)
    if (this.#cancelledFor !== undefined) {
      // The signal of a cancel may still be on its way: it must not hit the next batch.
      this.#settle(this.#outcomeOfCancelled(this.#cancelledFor))
      connection.use(undefined)
      connection.destroy()
      return
    }
    if (run.failedByStaleName && !this.#isRepeat) {
      this.#repeat(connection)
      return
    }
    if (run.reset !== undefined) this.#awaitReset(connection, run.status, run.reset)
    else if (run.status === 'I') this.#pool.release(connection)
    else this.#reset(connection, ['ROLLBACK', RESET_OWN])
    this.#settle(run.isComplete ? run.answer() : (run.error ?? desynchronised()))
  }

  /** Nothing was committed: Postgres skipped the COMMIT. */
  #repeat(connection: PostgresConnection): void {
    this.#isRepeat = true
    const statements = ['DEALLOCATE ALL', RESET_OWN]
    if (this.#run.status !== 'I') statements.unshift('ROLLBACK')
    // The reset that such a batch may have sent along is still to be answered.
    const sent = this.#run.reset === undefined ? 0 : 1
    const repeat = (clean: PostgresConnection): void => {
      clean.names.clear()
      if (this.#answer === undefined) {
        this.#pool.release(clean)
        return
      }
      this.#run = new BatchRun(this.#batch)
      this.onConnection(clean)
    }
    this.#reset(connection, statements, repeat, sent)
  }

  /** The batch sent its reset along, which fails while a transaction is open. */
  #awaitReset(connection: PostgresConnection, status: string, reset: string): void {
    const timer = setTimeout(() => connection.destroy('it could not be reset in time'), RESET_TIMEOUT_MS)
    connection.awaitReady(1, error => {
      clearTimeout(timer)
      if (error === undefined && status === 'I') return this.#pool.release(connection)
      if (status !== 'I') return this.#reset(connection, ['ROLLBACK', reset])
      connection.use(undefined)
      connection.destroy()
    })
  }

  /** Brings the connection back to a known state, after as many queries that were sent already; or destroys it. */
  #reset(
    connection: PostgresConnection,
    statements: readonly string[],
    then: (clean: PostgresConnection) => void = clean => this.#pool.release(clean),
    sent = 0,
  ): void {
    const isAnswerOwed = this.#isRepeat && this.#answer !== undefined
    const timer = setTimeout(() => connection.destroy('it could not be reset in time'), RESET_TIMEOUT_MS)
    const done = (error: SqlError | undefined): void => {
      clearTimeout(timer)
      if (error === undefined) {
        then(connection)
        return
      }
      connection.use(undefined)
      connection.destroy()
      if (isAnswerOwed) this.#settle(error)
    }
    connection.command(statements, done, sent)
  }

  #onCopyRefused(connection: PostgresConnection): void {
    this.#connection = undefined
    connection.use(undefined)
    connection.destroy()
    this.#settle(this.#run.error ?? desynchronised())
  }

  #onDeadline(): void {
    if (this.#answer === undefined) return
    if (this.#connection === undefined) {
      this.#pool.leave(this)
      this.#settle(this.#pool.exhausted())
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

  /** A cancel that came too late changes nothing for a batch whose result is whole. */
  #outcomeOfCancelled(reason: SqlError): BatchAnswer | SqlError {
    if (!this.#run.isComplete) return reason
    if (!this.#isOverResultCap) return this.#run.answer()
    const detail = 'The result was complete, and the batch committed, before it could be cancelled.'
    return new SqlError(reason.message, { ...reason.fields, detail })
  }

  #settle(outcome: BatchAnswer | SqlError): void {
    clearTimeout(this.#deadline)
    clearTimeout(this.#grace)
    const answer = this.#answer
    this.#answer = undefined
    answer?.(outcome)
  }
}

function desynchronised(): SqlError {
  return gatewayError('08P01', 'Postgres ended the batch before all of its statements were answered')
}
