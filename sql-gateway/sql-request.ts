/**
 * Owns reading a `POST /sql` request: headers and body to a `Batch`, or the error that says what is wrong with them.
 * Pure: no I/O. After it, texts need no further checks.
 */
import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders } from 'node:http'
import type { Batch, Statement } from './batch.ts'
import { gatewayError, type SqlError } from './errors.ts'
import { mayBeRounded, parameterText, parseExactly } from './parameters.ts'
import type { RowFormat } from './row-fields.ts'
import type { Caller } from './shares.ts'

export interface RequestLimits {
  statementsPerBatchMax: number
  deadlineMsDefault: number
  deadlineMsMax: number
}

/** What a statement may carry at most: the Bind message counts its parameters in 16 bits. */
const PARAMETERS_MAX = 65_535

/** A request can only lower the gateway's own bound: what it names above that has no effect. */
const RESULT_BYTES_NAMED_MAX = 1024 ** 3

const ISOLATION_LEVELS = new Map([
  ['ReadUncommitted', 'READ UNCOMMITTED'],
  ['ReadCommitted', 'READ COMMITTED'],
  ['RepeatableRead', 'REPEATABLE READ'],
  ['Serializable', 'SERIALIZABLE'],
])

interface RawStatement {
  query: string
  params?: unknown[] | null
  arrayMode?: boolean | null
}

/** An id of a key and an address of a client are together no longer than this. */
const CALLER_CHARACTERS_MAX = 200

/** Whom `Quoin-Caller` names, as `key/client`; undefined when it was not sent. Throws `SqlError` 22023. */
export function readCaller({ 'quoin-caller': name }: IncomingHttpHeaders): Caller | undefined {
  if (name === undefined) return undefined
  const key = typeof name === 'string' ? name.split('/', 1)[0] : undefined
  if (typeof name === 'string' && key && key !== name && name.length <= CALLER_CHARACTERS_MAX)
    return { key, name }
  throw gatewayError('22023', 'Quoin-Caller must be a key and a client with a slash between them')
}

/** Reads a request; throws `SqlError`. */
export function readBatch(
  headers: IncomingHttpHeaders,
  body: Buffer,
  caller: Caller | undefined,
  limits: RequestLimits,
): Batch {
  if (!isUtf8(body)) throw notText('the request body is not UTF-8')
  const text = body.toString('utf8')
  const payload = parseJson(text, JSON.parse)
  const isSingle = typeof payload.query === 'string'
  const raw = isSingle ? [payload] : payload.queries
  if (!Array.isArray(raw)) throw malformed('the body must hold "query", or "queries" as a list')
  if (raw.length > limits.statementsPerBatchMax) {
    throw gatewayError('54000', `more than ${limits.statementsPerBatchMax} statements in a batch`)
  }
  const checked = raw.map(checkStatement)
  const isRounded = checked.some(({ params }) => params?.some(mayBeRounded))
  const exact = isRounded ? parseJson(text, parseExactly) : payload
  const statements = (isSingle ? [exact] : (exact.queries as unknown[])) as RawStatement[]
  const format = {
    isRawText: headers['neon-raw-text-output'] === 'true',
    isArrayMode: headers['neon-array-mode'] === 'true',
  }
  // Only an escape can bring a NUL or half a surrogate pair into JSON that is valid UTF-8.
  const hasEscapes = text.includes('\\u')
  return {
    statements: statements.map(statement => readStatement(statement, format, hasEscapes)),
    begin: isSingle ? undefined : beginOf(headers),
    isRolledBack: !isSingle && headers['neon-batch-read-only'] === 'true' && isCommitSure(headers),
    isOwn: headers['quoin-statements'] === 'own',
    closesConnection: headers['quoin-connection'] === 'close',
    caller,
    isBodyWanted: headers['quoin-result'] === 'body',
    deadlineMs:
      readWhole('Quoin-Timeout-Ms', headers['quoin-timeout-ms'], limits.deadlineMsMax) ??
      limits.deadlineMsDefault,
    resultBytesMax: readWhole(
      'Quoin-Result-Bytes-Max',
      headers['quoin-result-bytes-max'],
      RESULT_BYTES_NAMED_MAX,
    ),
  }
}

function parseJson(text: string, parse: (text: string) => unknown): Record<string, unknown> {
  try {
    const payload = parse(text)
    if (typeof payload === 'object' && payload !== null) return payload as Record<string, unknown>
  } catch {
    // The parser's own message would repeat parts of the body.
  }
  throw malformed('the body is not a JSON object')
}

function checkStatement(value: unknown): RawStatement {
  const { query, params, arrayMode } = (value ?? {}) as Record<string, unknown>
  if (typeof query !== 'string') throw malformed('each statement needs "query", a string')
  if (params !== undefined && params !== null && !Array.isArray(params))
    throw malformed('"params" must be a list')
  if (Array.isArray(params) && params.length > PARAMETERS_MAX) {
    throw gatewayError('54023', `a statement can have at most ${PARAMETERS_MAX} parameters`)
  }
  if (arrayMode !== undefined && arrayMode !== null && typeof arrayMode !== 'boolean') {
    throw malformed('"arrayMode" must be true or false')
  }
  return value as RawStatement
}

function readStatement(raw: RawStatement, byHeaders: RowFormat, hasEscapes: boolean): Statement {
  const params = (raw.params ?? []).map(parameterText)
  if (hasEscapes) {
    assertText(raw.query, 'the query')
    for (const [index, param] of params.entries()) assertText(param, `parameter ${index + 1}`)
  }
  const isArrayMode = raw.arrayMode ?? byHeaders.isArrayMode
  const format = isArrayMode === byHeaders.isArrayMode ? byHeaders : { ...byHeaders, isArrayMode }
  return { sql: raw.query, params, format }
}

function assertText(text: string | null, what: string): void {
  if (text === null) return
  if (text.includes('\0')) throw notText(`invalid byte sequence for encoding "UTF8": 0x00 in ${what}`)
  if (!text.isWellFormed()) throw notText(`half of a surrogate pair in ${what}`)
}

function beginOf(headers: IncomingHttpHeaders): string {
  const level = headers['neon-batch-isolation-level']
  let begin = 'BEGIN'
  if (level !== undefined) {
    const isolation = ISOLATION_LEVELS.get(String(level))
    if (isolation === undefined) throw gatewayError('22023', 'invalid isolation level')
    begin += ` ISOLATION LEVEL ${isolation}`
  }
  if (headers['neon-batch-read-only'] === 'true') begin += ' READ ONLY'
  if (headers['neon-batch-deferrable'] === 'true') begin += ' DEFERRABLE'
  return begin
}

/** A serializable transaction is only known to have read something consistent once its COMMIT succeeds. */
function isCommitSure(headers: IncomingHttpHeaders): boolean {
  return headers['neon-batch-isolation-level'] !== 'Serializable'
}

/** The whole number of a header, from 1 to `max`; undefined when it was not sent. */
function readWhole(name: string, header: string | string[] | undefined, max: number): number | undefined {
  if (header === undefined) return undefined
  const value = Number(header)
  if (Number.isInteger(value) && value >= 1 && value <= max) return value
  throw gatewayError('22023', `${name} must be a whole number from 1 to ${max}`)
}

function malformed(message: string): SqlError {
  return gatewayError('22P02', message)
}

function notText(message: string): SqlError {
  return gatewayError('22021', message)
}
