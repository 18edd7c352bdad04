// One call to an outside server: bounded in time and size, never redirected. Every failure of the server is told apart
// from an answer of it. A write that was refused is told apart from one whose end nobody saw. What an answer means is
// for the client of that server to say.

import { DomainError } from '../errors.ts'
import { readBoundedText } from '../lib/bounded-text.ts'
import { describeAnswer, sentTexts } from './describe-answer.ts'

/** Names of outside servers, as errors and health checks show them. */
export type UpstreamName = 'oauth_server' | 'identity_provider' | 'permission_server' | 'sql_gateway' | 'neon'

/** An address of an outside server. */
export interface Upstream {
  readonly name: UpstreamName
  /** Without a final slash; undefined when the deployment has not set it. */
  readonly baseUrl: string | undefined
  /** The variable that holds the address, for the error that asks for it. */
  readonly variable: string
  /** Sent as a bearer token where set. */
  readonly token?: string | undefined
  /** Milliseconds that no call may take longer, whatever it asks for. */
  readonly timeoutMsMax?: number
  readonly fetch: typeof fetch
}

export interface UpstreamCall {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** True for a POST that changes nothing. All methods but GET count as changes otherwise. */
  onlyReads?: boolean
  /** From the server's root; ids in it percent-encoded by the caller. */
  path: string
  /** Undefined values are left out; an array repeats its name. */
  query?: Readonly<Record<string, string | readonly string[] | undefined>>
  json?: unknown
  form?: Readonly<Record<string, string>>
  headers?: Readonly<Record<string, string>>
  /** Milliseconds until the call is given up; 5 000 unless said. */
  timeoutMs?: number
}

export interface UpstreamAnswer {
  status: number
  headers: Headers
  text: string
  /** The parsed body, undefined when it is not JSON (an HTML page, nothing). */
  json: unknown
  /** True for the answer to a change, which may have been made even if the answer makes no sense. */
  isToChange?: boolean
  /** Texts of the call that the log must not repeat. */
  sent?: readonly string[]
}

const TIMEOUT_MS = 5_000
/** A page of 500 usual records stays far below. */
const ANSWER_MIB_MAX = 8

/**
 * Sends one request. Throws `not_configured`, `upstream_unavailable` when there is no whole answer in time, and
 * `upstream_answer_too_large` for one that is longer than may be read; with `outcomeUnknown` for a change. Every
 * other answer that arrived, of whatever status, is returned.
 */
export async function callUpstream(upstream: Upstream, call: UpstreamCall): Promise<UpstreamAnswer> {
  const url = urlOf(upstream, call)
  const isToChange = call.method !== 'GET' && call.onlyReads !== true
  const { timeoutMsMax = Number.POSITIVE_INFINITY } = upstream
  const deadline = AbortSignal.timeout(Math.min(call.timeoutMs ?? TIMEOUT_MS, timeoutMsMax))
  try {
    const response = await upstream.fetch(url, {
      method: call.method,
      headers: headersOf(upstream, call),
      body: bodyOf(call),
      redirect: 'manual',
      signal: deadline,
    })
    const text = await readBoundedText(response.body, ANSWER_MIB_MAX * 1024 * 1024)
    if (text === undefined) throw tooLarge(upstream, isToChange)
    const { status, headers } = response
    const sent = status < 400 ? [] : sentBy(upstream, call)
    return { status, headers, text, json: parseJson(text), isToChange, sent }
  } catch (cause) {
    if (cause instanceof DomainError) throw cause
    // From here nobody can tell a connection that was refused from one that broke after the server had read it all.
    throw unavailable(upstream, cause, isToChange)
  }
}

const LOOK_FIRST = 'It may have been done all the same: look before you try again.'

/**
 * The error for a server that is down, slow, or fails by itself (5xx). Nobody is told to repeat a change of unknown
 * outcome.
 */
export function unavailable(
  upstream: Pick<Upstream, 'name'>,
  cause?: unknown,
  outcomeUnknown = false,
): DomainError {
  return new DomainError('upstream_unavailable', `${SPOKEN[upstream.name]} does not answer just now.`, {
    detail: upstream.name,
    hint: outcomeUnknown ? LOOK_FIRST : 'Try again in a moment.',
    cause,
    retryAfterSeconds: outcomeUnknown ? undefined : 5,
    outcomeUnknown,
  })
}

/** Another try gives the same answer: only a call for less helps. */
function tooLarge({ name }: Pick<Upstream, 'name'>, outcomeUnknown: boolean): DomainError {
  return new DomainError(
    'upstream_answer_too_large',
    `${SPOKEN[name]} gave an answer of more than ${ANSWER_MIB_MAX} MiB, which Quoin does not read.`,
    {
      detail: name,
      hint: outcomeUnknown ? LOOK_FIRST : 'Ask for less at once: a smaller page, where the call has pages.',
      outcomeUnknown,
    },
  )
}

/** The error for a refusal that is not about the caller: a gateway's 401 or 403, an unknown path. */
export function misconfigured(
  upstream: Pick<Upstream, 'name' | 'variable'>,
  answer: UpstreamAnswer,
): DomainError {
  return new DomainError(
    'upstream_misconfigured',
    `${SPOKEN[upstream.name]} refused a request of Quoin itself (status ${answer.status}).`,
    {
      detail: upstream.name,
      hint: `Whoever runs this deployment should check ${upstream.variable} and the token for it.`,
      cause: describeAnswer(answer),
    },
  )
}

/**
 * The error for an answer of a form that the server should not give: HTML where JSON belongs, a field missing. A change
 * that got a good status may have been made.
 */
export function invalidAnswer(
  upstream: Pick<Upstream, 'name' | 'variable'>,
  answer: UpstreamAnswer,
): DomainError {
  const outcomeUnknown = answer.isToChange === true && answer.status < 300
  const check = `Whoever runs this deployment should check that ${upstream.variable} is the address of that server.`
  return new DomainError(
    'upstream_invalid_answer',
    `${SPOKEN[upstream.name]} gave an answer that Quoin does not understand (status ${answer.status}).`,
    {
      detail: upstream.name,
      hint: outcomeUnknown ? `${LOOK_FIRST} ${check}` : check,
      cause: describeAnswer(answer),
      outcomeUnknown,
    },
  )
}

/** The error for a server whose address the deployment has not set. */
export function notConfigured({ name, variable }: Pick<Upstream, 'name' | 'variable'>): DomainError {
  return new DomainError('not_configured', `This deployment has no ${variable}.`, {
    detail: name,
    hint: `Set ${variable} to the address of that server.`,
  })
}

/** For an answer that is none of those a call expects: which of the three errors it is. */
export function unexpected(
  upstream: Pick<Upstream, 'name' | 'variable'>,
  answer: UpstreamAnswer,
): DomainError {
  if (answer.status >= 500) {
    // 502 and 504 are a gateway's words for no answer of the server's (RFC 9110 sections 15.6.3 and 15.6.5).
    const isUnanswered = answer.status === 502 || answer.status === 504
    return unavailable(upstream, describeAnswer(answer), answer.isToChange === true && isUnanswered)
  }
  if (answer.status === 401 || answer.status === 403) return misconfigured(upstream, answer)
  return invalidAnswer(upstream, answer)
}

const SPOKEN: Record<UpstreamName, string> = {
  oauth_server: 'The OAuth2 server',
  identity_provider: 'The identity provider',
  permission_server: 'The permission server',
  sql_gateway: 'The SQL gateway',
  neon: 'Neon’s API',
}

function sentBy({ token }: Upstream, { headers, query, form, json }: UpstreamCall): string[] {
  return sentTexts({ token, headers, query, form, json })
}

function urlOf(upstream: Upstream, { path, query = {} }: UpstreamCall): string {
  if (upstream.baseUrl === undefined) throw notConfigured(upstream)
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue
    for (const item of typeof value === 'string' ? [value] : value) search.append(name, item)
  }
  return `${upstream.baseUrl}${path}${search.size === 0 ? '' : `?${search}`}`
}

function headersOf(upstream: Upstream, call: UpstreamCall): Record<string, string> {
  return {
    accept: 'application/json',
    ...(call.json === undefined ? undefined : { 'content-type': 'application/json' }),
    ...(call.form === undefined ? undefined : { 'content-type': 'application/x-www-form-urlencoded' }),
    ...(upstream.token === undefined ? undefined : { authorization: `Bearer ${upstream.token}` }),
    ...call.headers,
  }
}

function bodyOf(call: UpstreamCall): string | null {
  if (call.json !== undefined) return JSON.stringify(call.json)
  if (call.form !== undefined) return new URLSearchParams(call.form).toString()
  return null
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
