// One attempt to deliver: the guard, the signature, the POST, and what came back. All of it within ATTEMPT_TIMEOUT_MS
// from the send, whatever the receiver does: drip bytes, send gigabytes, redirect, say nothing. Never throws.

import { type Deadline, DeadlinePassed } from '../../../lib/deadline.ts'
import { readRetryAfterMs } from '../../../lib/retry-after.ts'
import { TARGET_REFUSALS, type TargetGuard } from '../target-guard.ts'
import { deliveryHeaders } from './delivery-headers.ts'
import { messageHeaders, type SigningKeys } from './signatures.ts'

export const ATTEMPT_TIMEOUT_MS = 15_000
export const RESPONSE_BODY_BYTES_MAX = 16 * 1024
/** Each costs as much as a large one: of an answer of single bytes no more than these is kept. */
const RESPONSE_PARTS_MAX = 256
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]

export interface SendDeps {
  fetch: typeof fetch
  guard: TargetGuard
  deadline: Deadline
  nowMs: () => number
}

export interface Outgoing {
  url: string
  customHeaders: Readonly<Record<string, string>>
  /** Undefined: the webhook has no secret. */
  keys: SigningKeys | undefined
  webhookId: string
  body: Uint8Array<ArrayBuffer>
  /** Ours, lower case, beside the signatures: what makes this a replay, a test, or an event without images. */
  extraHeaders: Readonly<Record<string, string>>
}

/** Why there is no answer, or why an answer is no success although it came. */
export const ATTEMPT_ERRORS = [
  ...TARGET_REFUSALS,
  'secret_unreadable',
  'timeout',
  'connection_failed',
  'redirect',
  'status',
] as const
export type AttemptError = (typeof ATTEMPT_ERRORS)[number]

export interface AttemptResult {
  isSuccess: boolean
  statusCode: number | null
  /** Its beginning, at most RESPONSE_BODY_BYTES_MAX bytes and RESPONSE_PARTS_MAX parts; null without an answer. */
  responseBody: string | null
  error: AttemptError | null
  latencyMs: number
  retryAfterMs: number | undefined
}

/** Sends it once. */
export async function sendAttempt(deps: SendDeps, outgoing: Outgoing): Promise<AttemptResult> {
  const refusal = await deps.guard.check(outgoing.url)
  if (refusal !== undefined) return failed(refusal, 0)
  const headers = await headersOf(outgoing, deps.nowMs())
  const startedAtMs = deps.nowMs()
  const aborter = new AbortController()
  try {
    const answer = await deps.deadline(ATTEMPT_TIMEOUT_MS, post(deps, outgoing, headers, aborter.signal))
    return resultOf(answer, deps.nowMs() - startedAtMs, deps.nowMs())
  } catch (err) {
    const latencyMs = deps.nowMs() - startedAtMs
    // Names that do not resolve, refused connections, bad certificates: the runtime tells them apart in words only.
    if (!(err instanceof DeadlinePassed)) return failed('connection_failed', latencyMs)
    aborter.abort()
    return failed('timeout', latencyMs)
  }
}

interface Answer {
  status: number
  retryAfter: string | null
  body: string
}

async function headersOf(outgoing: Outgoing, nowMs: number): Promise<Record<string, string>> {
  const { webhookId, body, customHeaders, extraHeaders } = outgoing
  const message = { webhookId, body, timestampSeconds: Math.floor(nowMs / 1_000) }
  const signed = await messageHeaders(outgoing.keys, message)
  return deliveryHeaders(customHeaders, { ...signed, ...extraHeaders })
}

async function post(
  deps: SendDeps,
  { url, body }: Outgoing,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<Answer> {
  const response = await deps.fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal })
  const text = await readBeginning(response).catch((err: unknown) => {
    // Called compressed although it is not, or broken off: that cannot be told apart, and the status stands.
    if (response.headers.has('content-encoding')) return ''
    throw err
  })
  return { status: response.status, retryAfter: response.headers.get('retry-after'), body: text }
}

/** What is longer is not read: the rest is cancelled, which closes the connection. */
async function readBeginning(response: Response): Promise<string> {
  if (response.body === null) return ''
  // Reading by parts costs more than the rest of an attempt, and few receivers answer at length.
  const length = Number(response.headers.get('content-length') ?? Number.NaN)
  if (length <= RESPONSE_BODY_BYTES_MAX && !response.headers.has('content-encoding')) {
    return storable(await response.text())
  }
  const reader = response.body.getReader()
  const bytes = new Uint8Array(RESPONSE_BODY_BYTES_MAX)
  let size = 0
  for (let parts = 1; ; parts++) {
    const { done, value } = await reader.read()
    if (done) break
    const part = value.subarray(0, RESPONSE_BODY_BYTES_MAX - size)
    bytes.set(part, size)
    size += part.length
    if (size === RESPONSE_BODY_BYTES_MAX || parts === RESPONSE_PARTS_MAX) {
      // Not awaited: a receiver that goes on sending must not hold the attempt.
      reader.cancel().catch(() => undefined)
      break
    }
  }
  return storable(new TextDecoder().decode(bytes.subarray(0, size)))
}

/** Postgres takes no NUL in text. */
function storable(text: string): string {
  return text.replaceAll('\0', '\uFFFD')
}

function resultOf({ status, retryAfter, body }: Answer, latencyMs: number, nowMs: number): AttemptResult {
  const isSuccess = status >= 200 && status < 300
  return {
    isSuccess,
    statusCode: status,
    responseBody: body,
    error: isSuccess ? null : REDIRECTS.includes(status) ? 'redirect' : 'status',
    latencyMs,
    retryAfterMs: isSuccess ? undefined : readRetryAfterMs(retryAfter, nowMs),
  }
}

/** An attempt without an answer. */
export function failed(error: AttemptError, latencyMs: number): AttemptResult {
  return {
    isSuccess: false,
    statusCode: null,
    responseBody: null,
    error,
    latencyMs,
    retryAfterMs: undefined,
  }
}
