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
  isTaint,
  RESET_CALLER,
  RESET_OWN,
  UNLOCK_AND_COUNT_REPLACED_NAMES,
} from './session-state.ts'
import type { StatementName, StatementNames } from './statement-names.ts'

/** What the run's owner has to do after a message. */
export type RunStep = 'continue' | 'send_end' | 'ready' | 'copy_refused'

interface Step {
  readonly sql: string
  readonly params: readonly (string | null)[]
  readonly isDescribed: boolean
  named: StatementName | undefined
  wasParsed: boolean
  fields: RowFields | undefined
}

const COPY = /\bcopy\b/i
const NO_PARAMS: readonly never[] = []
const NOTHING: readonly string[] = []
const COMMIT_ALONE: readonly string[] = [COMMIT]
/** The plan of a longer text stays in Postgres' memory with it, and few texts of that length come twice. */
const NAMED_CHARACTERS_MAX = 16_384
/**
 * Worth a name: Postgres plans them. The others (SAVEPOINT) would save nothing by one, and they end transactions: a
 * caller's code that replaced one of these names could do more than run SQL of its own.
 */
const PLANNED = /^\s*(?:select|with|insert|update|delete|merge|values)\b/i
/** Plans and names that a change of schema or a reset made useless: the batch may be repeated with fresh ones. */
const STALE_NAME_CODES = new Set(['0A000', '26000', '42P05'])

export class BatchRun {
  /** The first error of Postgres in this run. */
  error: SqlError | undefined
  /** The transaction state of the last ReadyForQuery: `I` idle, `T` in a transaction, `E` in a failed one. */
  status = ''
  /** True when SQL prepared something in the session, which must be closed then. */
  isTainted = false
  readonly #batch: Batch
  readonly #answer: AnswerWriter
  readonly #steps: Step[]
  readonly #offset: number
  /** How many steps the answer needs: up to the COMMIT of a write, all of a read. */
  readonly #stepsOfAnswer: number
  /**
   * A statement that may be COPY is not followed by COMMIT and Sync at once. Its data is refused by closing the
   * connection. With the end already sent, Postgres might commit a batch that the caller was told had failed.
   */
  readonly #isEndHeld: boolean
  #index = 0
  #failedAtEnd = false

  constructor(batch: Batch) {
    this.#batch = batch
    this.#answer = new AnswerWriter(batch)
    this.#offset = batch.begin === undefined ? 0 : 1
    const end = endOf(batch)
    this.#steps = stepsOf(batch, end)
    this.#stepsOfAnswer = end === END_OF_WRITES ? this.#steps.length - RESET_OWN.length : this.#steps.length
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

  /** True when the failure is one of stale names, so that the same batch may succeed with fresh ones. */
  get failedByStaleName(): boolean {
    return this.#batch.isOwn && this.status !== '' && STALE_NAME_CODES.has(this.error?.fields.code ?? '')
  }

  /** The query that resets the session. */
  get reset(): string {
    return this.#batch.isOwn ? RESET_OWN.join('; ') : RESET_CALLER
  }

  /** True when the reset follows the Sync; a transaction of own statements has it in its end. */
  get isResetSent(): boolean {
    return !this.#batch.isOwn || this.#offset === 0
  }

  /** True when nothing failed, what takes the session back included; call when the run is over. */
  get isWhole(): boolean {
    return this.status === 'I' && (this.isResetSent || this.#index === this.#steps.length)
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
        if (step?.isDescribed === false) this.isTainted ||= isTaint(bytes, start)
        else if (step?.fields !== undefined)
          this.#answer.addRow(this.#index - this.#offset, step.fields, bytes, start)
        return 'continue'
      case 0x43: // CommandComplete
        return this.#endStep(bytes.toString('latin1', start, end - 1))
      case 0x49: // EmptyQueryResponse
        return this.#endStep('')
      case 0x31: // ParseComplete
        if (step?.named !== undefined) step.named.isParsed = true
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

  /** Takes the names back whose Parse never happened; call when the run is over. */
  settleNames(names: StatementNames): void {
    if (this.isWhole && !this.isResetSent) return
    // What takes the session back then are simple queries, and these end what stands without a name.
    names.forgetUnnamed()
    for (const { named } of this.#steps) if (named !== undefined && !named.isParsed) names.forget(named)
  }

  /**
   * The session is reset in the same flush; the answer does not wait for it. In a transaction that is still open it
   * fails.
   */
  #writeSync(writer: MessageWriter): void {
    writer.sync()
    if (this.isResetSent) writer.query(this.reset)
  }

  #assignNames(writer: MessageWriter, names: StatementNames): void {
    names.beginBatch()
    for (const step of this.#steps) {
      if (isNameable(step)) nameStep(step, names, writer)
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

  #fail(error: SqlError): RunStep {
    // Whatever fails behind the COMMIT takes nothing back.
    if (this.isCommitted) return 'continue'
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

function stepsOf(batch: Batch, end: readonly string[]): Step[] {
  const steps: Step[] = []
  if (batch.begin !== undefined) steps.push(stepOf(batch.begin, NO_PARAMS, false))
  for (const { sql, params } of batch.statements) steps.push(stepOf(sql, params, true))
  for (const sql of end) steps.push(stepOf(sql, NO_PARAMS, false))
  return steps
}

function endOf(batch: Batch): readonly string[] {
  if (batch.begin === undefined) return NOTHING
  if (!batch.isOwn) return COMMIT_ALONE
  return batch.isRolledBack ? END_OF_READS : END_OF_WRITES
}

function stepOf(sql: string, params: readonly (string | null)[], isDescribed: boolean): Step {
  return { sql, params, isDescribed, named: undefined, wasParsed: false, fields: undefined }
}

/**
 * All of ours but the look for replaced names: SQL cannot replace a text without a name. As nothing else takes its
 * place, the look stays parsed from batch to batch, which saves half of what a small read costs Postgres.
 */
function isNameable({ isDescribed, sql }: Step): boolean {
  if (isDescribed) return sql.length <= NAMED_CHARACTERS_MAX && PLANNED.test(sql)
  return sql !== UNLOCK_AND_COUNT_REPLACED_NAMES
}

/** The name that the text has, or a new one; none when the batch itself uses all of them. */
function nameStep(step: Step, names: StatementNames, writer: MessageWriter): void {
  const known = names.find(step.sql)
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
