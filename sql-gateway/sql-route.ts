/**
 * Owns `POST /sql` on the HTTP side: who may ask, the bounded body, the answer's bytes and headers.
 * Must not speak to Postgres itself.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Batch, BatchAnswer } from './batch.ts'
import type { ByteAccount, ByteBudget } from './byte-budget.ts'
import type { GatewayLimits } from './config.ts'
import type { ConnectionPool } from './connection-pool.ts'
import { errorJson, gatewayError, resultTooLarge, SqlError, unknownOutcome } from './errors.ts'
import { Execution } from './execution.ts'
import type { ServedEntries, ServedEntry } from './served.ts'
import { readBatch, readCaller } from './sql-request.ts'

/** The two pools of one served database. */
export interface EntryPools {
  readonly own: ConnectionPool
  readonly caller: ConnectionPool
}

export interface SqlRouteDeps {
  readonly entries: ServedEntries
  readonly pools: ReadonlyMap<ServedEntry, EntryPools>
  readonly limits: GatewayLimits
  readonly heldBytes: ByteBudget
  readonly log: { error(details: object, message: string): void }
}

const JSON_TYPE = 'application/json'
const ROW_HEADER_BYTES_MAX = 32 * 1024

/** Answers one request; never rejects and never throws. */
export function handleSql(deps: SqlRouteDeps, req: IncomingMessage, res: ServerResponse): void {
  if (req.headers.authorization !== undefined) {
    sendError(res, uncheckedToken())
    return
  }
  const entry = deps.entries.find(String(req.headers['neon-connection-string'] ?? ''))
  const pools = entry && deps.pools.get(entry)
  if (pools === undefined) {
    sendError(res, unknownString())
    return
  }
  const attempt = (work: () => void): void => {
    try {
      work()
    } catch (error) {
      sendError(res, error instanceof SqlError ? error : unexpected(deps, error))
    }
  }
  attempt(() => {
    const caller = readCaller(req.headers)
    const account = deps.heldBytes.open(caller)
    res.on('close', () => account.close())
    readBody(req, deps.limits.requestBodyBytesMax, account, body => {
      if (body instanceof SqlError) {
        // Node reads and drops the rest of a body before the next request; of one that is refused it need not.
        res.shouldKeepAlive = false
        sendError(res, body)
      } else
        attempt(() => runBatch(deps, pools, readBatch(req.headers, body, caller, deps.limits), account, res))
    })
  })
}

function runBatch(
  deps: SqlRouteDeps,
  pools: EntryPools,
  batch: Batch,
  account: ByteAccount,
  res: ServerResponse,
): void {
  const { limits } = deps
  let isAnswered = false
  const pool = batch.isOwn ? pools.own : pools.caller
  const execution = new Execution(batch, pool, limits, account, result => {
    isAnswered = true
    // The time begins anew with every byte that is taken.
    res.setTimeout(limits.answerStallMs, () => res.destroy())
    if (result instanceof SqlError) sendError(res, result)
    else sendAnswer(res, result)
  })
  execution.start()
  res.on('close', () => {
    if (isAnswered) return
    execution.abort()
  })
}

/** Collects the body up to the cap; calls back once, unless the caller goes away before the end. */
function readBody(
  req: IncomingMessage,
  bytesMax: number,
  account: ByteAccount,
  done: (body: Buffer | SqlError) => void,
): void {
  if (Number(req.headers['content-length'] ?? 0) > bytesMax) {
    done(tooLarge(bytesMax))
    return
  }
  const chunks: Buffer[] = []
  let bytes = 0
  let isRefused = false
  req.on('data', (chunk: Buffer) => {
    if (isRefused) return
    bytes += chunk.length
    const refusal = bytes > bytesMax ? tooLarge(bytesMax) : account.take(chunk.length)
    if (refusal === undefined) {
      chunks.push(chunk)
      return
    }
    isRefused = true
    chunks.length = 0
    done(refusal)
  })
  req.on('end', () => {
    if (!isRefused) done(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, bytes))
  })
}

/** Sends an error in Neon's shape. */
export function sendError(res: ServerResponse, error: SqlError): void {
  if (res.destroyed) return
  const text = errorJson(error)
  res.writeHead(error.status, { 'Content-Type': JSON_TYPE, 'Content-Length': Buffer.byteLength(text) })
  res.end(text)
}

function sendAnswer(res: ServerResponse, answer: BatchAnswer): void {
  if (res.destroyed) return
  if (answer.kind === 'body') {
    sendBody(res, answer)
    return
  }
  const partBytes = answer.parts.reduce((sum, part) => sum + part.length, 0)
  const length = partBytes + Buffer.byteLength(answer.text)
  res.writeHead(200, { 'Content-Type': JSON_TYPE, 'Content-Length': length })
  for (const part of answer.parts) res.write(part)
  res.end(answer.text)
}

function sendBody(res: ServerResponse, { body, row }: Extract<BatchAnswer, { kind: 'body' }>): void {
  const header = asciiJson(row)
  if (header.length > ROW_HEADER_BYTES_MAX) {
    sendError(res, resultTooLarge('Quoin-Row', ROW_HEADER_BYTES_MAX, 'committed'))
    return
  }
  res.writeHead(200, { 'Content-Type': JSON_TYPE, 'Content-Length': body?.length ?? 0, 'Quoin-Row': header })
  res.end(body ?? undefined)
}

/** JSON in printable ASCII: everything else as a `\u` escape, which any JSON parser reads. */
function asciiJson(value: unknown): string {
  const escapeUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(value).replace(/[^\x20-\x7e]/g, escapeUnit)
}

function unknownString(): SqlError {
  return gatewayError('28P01', 'the connection string names no database that this gateway serves', {
    severity: 'FATAL',
  })
}

/** Whoever sends a token wants it to decide. Without that the query would run with all rights of the string's role. */
function uncheckedToken(): SqlError {
  return gatewayError('0A000', 'the gateway checks no tokens, so it runs nothing that comes with one', {
    detail: 'The request has an Authorization header, which the driver sends for authToken.',
    hint: "Leave authToken out, and set role and claims in the query's own transaction, or call /v1/db with the token.",
  })
}

function tooLarge(bytesMax: number): SqlError {
  return gatewayError('54000', `request body larger than ${bytesMax} bytes`, {}, 413)
}

function unexpected(deps: SqlRouteDeps, error: unknown): SqlError {
  deps.log.error({ err: error }, 'a request failed inside the gateway')
  return unknownOutcome(gatewayError('XX000', 'the gateway failed; its log says why'))
}
