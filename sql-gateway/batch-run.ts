/**
 * Owns one pass of a batch over one connection: which messages are sent in the single flush, and what each answer of
 * Postgres means for it. Must not own sockets, timers or pools; `Execution` does.
 */
import { AnswerWriter } from './answer-writer.ts'
import type { Batch, BatchAnswer } from './batch.ts'
import { readErrorResponse } from './error-response.ts'
import { gatewayError, type SqlError } from './errors.ts'
import type { MessageWriter } from './message-writer.ts'
import { NO_FIELDS, type RowFields, readRowFields } from './row-fields.ts'
import {
  COMMIT,
  END_OF_READS,
  END_OF_WRITES,
  LOOK_FOR_REPLACED_NAMES,
  RESET_CALLER,
  RESET_OWN,
} from './session-state.ts'
import type { StatementName, StatementNames } from './statement-names.ts'

/** What the run's owner has to do after a message. */
export type RunStep = 'continue' | 'send_end' | 'ready' | 'copy_refused'

interface Step {
  readonly sql: string
  readonly params: readonly (string | null)[]
  readonly isDescribed: boolean
  named: StatementName | undefined
  /** A name that an earlier batch parsed, which this text has or would have. */
  known: StatementName | undefined
  wasParsed: boolean
  fields: RowFields | undefined
}

const COPY = /\bcopy\b/i
const NO_PARAMS: readonly never[] = []
const NOTHING: readonly string[] = []
const COMMIT_ALONE: readonly string[] = [COMMIT]
/** What a read's SQL has notified goes with it. */
const ROLLBACK_ALONE: readonly string[] = ['ROLLBACK']
/** The plan of a longer text stays in Postgres' memory with it, and few texts of that length come twice. */
const NAMED_CHARACTERS_MAX = 16_384
/**
 * Statements of a batch that are worth a name: Postgres plans them. ROLLBACK TO SAVEPOINT must have none: code of the
 * batch could replace it, and a dry run would keep what it did.
 */
const PLANNED = /^\s*(?:select|with|insert|update|delete|merge|values)\b/i
/** Names that Postgres does not have any more, or has for another's text. */
const LOST_NAME_CODES = new Set(['26000', '42P05'])
/**
 * What a change of schema makes of a text that was parsed before it: another type of the result, operators and casts
 * that there are not, types that are gone, values read as the type that a column had. Not 42501, of a missing right.
 */
const OUTDATED_CODES = /^(?:0A000|22...|42(?!501)...|XX000)$/

/** Why a batch may succeed when it is run again. */
export type Repeat =
  | { readonly reason: 'names_lost' }
  | { readonly reason: 'outdated'; readonly from: number }

export class BatchRun {
  /** The first error of Postgres in this run. */
  error: SqlError | undefined
  /** The transaction state of the last ReadyForQuery: `I` idle, `T` in a transaction, `E` in a failed one. */
  status = ''
  readonly #batch: Batch
  readonly #answer: AnswerWriter
  readonly #steps: Step[]
  readonly #offset: number
  /** How many steps the answer needs: up to the COMMIT of a write, none of a read's end. */
  readonly #stepsOfAnswer: number
  /**
   * A statement that may be COPY is not followed by COMMIT and Sync at once. Its data is refused by closing the
   * connection. With the end already sent, Postgres might commit a batch that the caller was told had failed.
   */
  readonly #isEndHeld: boolean
  readonly #repeat: Repeat | undefined
  #index = 0
  /** How many steps Postgres has bound. */
  #boundCount = 0
  #failedAtEnd = false
  #failedBehindAnswer = false

  constructor(batch: Batch, repeat?: Repeat) {
    this.#batch = batch
    this.#repeat = repeat
    this.#answer = new AnswerWriter(batch)
    this.#offset = batch.begin === undefined ? 0 : 1
    const end = endOf(batch)
    this.#steps = stepsOf(batch, end)
    this.#stepsOfAnswer = this.#steps.length - stepsBehindAnswer(end)
    this.#isEndHeld = !batch.isOwn && batch.statements.some(statement => COPY.test(statement.sql))
  }

  /** True when every statement, and the end of the transaction where there is one, is done. */
  get isComplete(): boolean {
    return this.error === undefined && this.#index >= this.#stepsOfAnswer
  }

  /** True when it is certain that nothing of the batch was committed: its error came before its end. */
  get isUndone(): boolean {
    return this.error !== undefined && !this.#failedAtEnd
  }

  /** True when Postgres has confirmed the COMMIT; without a transaction it confirms with the ReadyForQuery alone. */
  get isCommitted(): boolean {
    return this.isComplete && this.#offset === 1
  }

  /**
   * What a repeat has to do otherwise; undefined where it would fail the same way. Only where a statement was not even
   * bound: nothing of it has run then, and no caller has a long statement run twice.
   */
  get repeat(): Repeat | undefined {
    const code = this.error?.fields.code
    const isBound = this.#boundCount > this.#index
    if (!this.#batch.isOwn || this.status === '' || code === undefined || isBound) return undefined
    if (LOST_NAME_CODES.has(code)) return { reason: 'names_lost' }
    const isOld = this.#steps[this.#index]?.known !== undefined
    return isOld && OUTDATED_CODES.test(code) ? { reason: 'outdated', from: this.#index } : undefined
  }

  /** The query that resets the session. */
  get reset(): string {
    return this.#batch.isOwn ? RESET_OWN : RESET_CALLER
  }

  /** True when a simple query behind the Sync is the reset; a transaction of own statements has it in its end. */
  get isResetBehindSync(): boolean {
    return !this.#batch.isOwn || this.#offset === 0
  }

  /** True when nothing is left to take back but by what stands behind the Sync; call when the run is over. */
  get isWhole(): boolean {
    return (
      this.status === 'I' &&
      !this.#failedBehindAnswer &&
      (this.isResetBehindSync || this.#index === this.#steps.length)
    )
  }

  answer(): BatchAnswer {
    return this.#answer.finish()
  }

  /** Writes the batch up to its Sync, or up to a Flush when its end is held back. */
  write(writer: MessageWriter, names: StatementNames): void {
    if (this.#batch.isOwn) this.#assignNames(writer, names)
    const last = this.#isEndHeld && this.#offset === 1 ? this.#steps.length - 1 : this.#steps.length
    for (let i = 0; i < last; i++) writeStep(writer, this.#steps[i] as Step)
    if (this.#isEndHeld) writer.flush()
    else this.#writeSync(writer)
  }

  /** Writes what was held back: the COMMIT and the Sync. */
  writeEnd(writer: MessageWriter): void {
    if (this.#offset === 1 && this.error === undefined) writeStep(writer, this.#steps.at(-1) as Step)
    this.#writeSync(writer)
  }

  /** Takes one message of Postgres. */
  onFrame(code: number, bytes: Buffer, start: number, end: number): RunStep {
    const step = this.#steps[this.#index]
    switch (code) {
      case 0x44: // DataRow
        if (step?.isDescribed && step.fields !== undefined)
          this.#answer.addRow(this.#index - this.#offset, step.fields, bytes, start)
        return 'continue'
      case 0x43: // CommandComplete
        return this.#endStep(bytes.toString('latin1', start, end - 1))
      case 0x49: // EmptyQueryResponse
        return this.#endStep('')
      case 0x31: // ParseComplete
        if (step?.named !== undefined) step.named.isParsed = true
        return 'continue'
      case 0x32: // BindComplete
        this.#boundCount++
        return 'continue'
      case 0x54: // RowDescription
        this.#describe(step, readRowFields(bytes, start))
        return 'continue'
      case 0x6e: // NoData
        this.#describe(step, NO_FIELDS)
        return 'continue'
      case 0x45: // ErrorResponse
        return this.#fail(readErrorResponse(bytes, start, end))
      case 0x47: // CopyInResponse
      case 0x48: // CopyOutResponse
      case 0x57: // CopyBothResponse
        this.#fail(gatewayError('0A000', 'COPY from or to the client is not possible over HTTP'))
        return 'copy_refused'
      case 0x5a: // ReadyForQuery
        this.status = String.fromCharCode(bytes[start] as number)
        return 'ready'
      default:
        return 'continue'
    }
  }

  /** Takes the names back that Postgres does not have; call when the run is over. */
  takeBackNames(names: StatementNames): void {
    if (this.isComplete) {
      for (const { known, named } of this.#steps)
        if (known !== named && known !== undefined) names.discard(known)
    }
    if (this.isWhole && !this.isResetBehindSync) return
    // Simple queries take the session back then, and they drop the statement without a name.
    names.forgetUnnamed()
    for (const { named } of this.#steps) if (named !== undefined && !named.isParsed) names.forget(named)
  }

  /** A reset behind the Sync is in the same flush; the answer does not wait for it. In an open transaction it fails. */
  #writeSync(writer: MessageWriter): void {
    writer.sync()
    if (this.isResetBehindSync) writer.query(this.reset)
  }

  #assignNames(writer: MessageWriter, names: StatementNames): void {
    for (const name of names.beginBatch()) writer.closeStatement(name)
    const freshFrom = this.#repeat?.reason === 'outdated' ? this.#repeat.from : this.#steps.length
    for (const [i, step] of this.#steps.entries()) {
      if (isNameable(step)) nameStep(step, names, writer, i >= freshFrom)
      if (step.named === undefined) step.wasParsed = names.takeUnnamed(step.sql)
    }
  }

  #describe(step: Step | undefined, fields: RowFields): void {
    if (step === undefined) return
    step.fields = fields
    if (step.named !== undefined) step.named.fields = fields
  }

  #endStep(tag: string): RunStep {
    const step = this.#steps[this.#index] as Step
    const isReplaced = step.named !== undefined && step.sql === COMMIT && tag !== COMMIT
    if (isReplaced) return this.#fail(notCommitted())
    if (step.isDescribed) this.#answer.endStatement(this.#index - this.#offset, step.fields, tag)
    this.#index++
    if (!this.#isEndHeld) return 'continue'
    return this.#index === this.#batch.statements.length + this.#offset ? 'send_end' : 'continue'
  }

  /** Takes nothing of the answer back. A name that is gone is made anew by the next batch. */
  #failBehindAnswer(error: SqlError): RunStep {
    this.#failedBehindAnswer = true
    const named = this.#steps[this.#index]?.named
    if (named !== undefined && error.fields.code === '26000') named.isParsed = false
    return 'continue'
  }

  #fail(error: SqlError): RunStep {
    if (this.isCommitted) return this.#failBehindAnswer(error)
    const isFirst = this.error === undefined
    if (isFirst) {
      this.error = error
      this.#failedAtEnd = this.#index >= this.#batch.statements.length + this.#offset
      const queryIndex = this.#index - this.#offset
      if (this.#offset === 1 && queryIndex >= 0) {
        error.queryIndex = Math.min(queryIndex, this.#batch.statements.length)
      }
    }
    const isSyncMissing =
      this.#isEndHeld && isFirst && this.#index < this.#batch.statements.length + this.#offset
    return isSyncMissing ? 'send_end' : 'continue'
  }
}

/** How many steps of the end come behind what the answer needs. */
function stepsBehindAnswer(end: readonly string[]): number {
  if (end === END_OF_WRITES) return end.length - 1
  return end === END_OF_READS ? end.length : 0
}

function stepsOf(batch: Batch, end: readonly string[]): Step[] {
  const steps: Step[] = []
  if (batch.begin !== undefined) steps.push(stepOf(batch.begin, NO_PARAMS, false))
  for (const { sql, params } of batch.statements) steps.push(stepOf(sql, params, true))
  for (const sql of end) steps.push(stepOf(sql, NO_PARAMS, false))
  return steps
}

function endOf(batch: Batch): readonly string[] {
  if (batch.begin === undefined) return NOTHING
  if (!batch.isOwn) return batch.isRolledBack ? ROLLBACK_ALONE : COMMIT_ALONE
  return batch.isRolledBack ? END_OF_READS : END_OF_WRITES
}

function stepOf(sql: string, params: readonly (string | null)[], isDescribed: boolean): Step {
  return { sql, params, isDescribed, named: undefined, known: undefined, wasParsed: false, fields: undefined }
}

/**
 * What is planned, and what begins and ends, but for the look: SQL cannot replace a text without a name. As nothing
 * else takes its place, the look stays parsed from batch to batch: half of what a small read costs Postgres.
 */
function isNameable({ isDescribed, sql }: Step): boolean {
  if (isDescribed) return sql.length <= NAMED_CHARACTERS_MAX && PLANNED.test(sql)
  return sql !== LOOK_FOR_REPLACED_NAMES
}

/**
 * The name that the text has, or a new one; none when the batch itself uses all of them. A repeat that is to be fresh
 * takes none in place of one that is known: should it fail too, the name was good, and other callers keep it.
 */
function nameStep(step: Step, names: StatementNames, writer: MessageWriter, isFresh: boolean): void {
  const known = names.find(step.sql)
  step.known = known?.isParsed ? known : undefined
  if (isFresh && step.isDescribed && step.known !== undefined) return
  if (known !== undefined) {
    step.named = known
    // The same text twice in a batch: its first use sends the Parse.
    step.wasParsed = true
    step.fields = known.fields
    return
  }
  const place = names.add(step.sql)
  step.named = place?.added
  if (place?.closed !== undefined) writer.closeStatement(place.closed.name)
}

/** SQL of the batch put another text under the name of COMMIT. */
function notCommitted(): SqlError {
  return gatewayError(
    '2D000',
    'the batch was not committed: its code replaced a prepared statement of Quoin',
    {
      hint: 'Find the function or trigger that uses PREPARE.',
    },
  )
}

function writeStep(writer: MessageWriter, step: Step): void {
  const name = step.named?.name ?? ''
  if (!step.wasParsed) writer.parse(name, step.sql)
  writer.bind(name, step.params)
  if (step.isDescribed && step.fields === undefined) writer.describePortal()
  writer.execute()
}
