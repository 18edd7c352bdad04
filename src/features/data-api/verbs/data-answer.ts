// The answer of a verb, and the headers that all answers share. Knows no HTTP framework.

import { DomainError } from '../../../errors.ts'
import { REPEATED_STATUSES } from '../../../lib/repeated-statuses.ts'
import { type Page, pageStatus } from '../grammar/page.ts'
import type { DataApiDeps, DataContext } from '../run/data-session.ts'
import type { StatementOutcome } from '../run/run-plan.ts'

/** What goes back to the caller; the app makes a `Response` of it. */
export interface DataAnswer {
  readonly status: number
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: BodyInit | null
  /** Values of Set-Cookie. */
  readonly cookies: readonly string[]
}

/** Headers from the verb itself; undefined ones are left out. */
export function answer(
  deps: DataApiDeps,
  { schema, call }: DataContext,
  status: number,
  body: BodyInit | null,
  fields: Readonly<Record<string, string | undefined>>,
  outcome?: StatementOutcome,
): DataAnswer {
  const headers: Record<string, string> = {}
  const cookies: string[] = []
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) headers[name] = value
  if (deps.config.dbSchemas.length > 1) headers['content-profile'] = schema
  const mayChoose = outcome && call.isAnswerFixed !== true
  const chosen = mayChoose
    ? orDiscard(outcome, () => applyResponseSettings(outcome, headers, cookies, status))
    : status
  const sent = chosen === 204 || chosen === 205 || chosen === 304 ? null : body
  if (outcome && sent === null) discardBody(outcome)
  return { status: chosen, headers, body: sent, cookies }
}

/** 200 or 206 for a page of rows; throws `invalid_range` when it begins behind the known end. */
export function rowsStatus(outcome: StatementOutcome, page: Page, total: number | null): 200 | 206 {
  return orDiscard(outcome, () => pageStatus(page, outcome.rowCount, total))
}

/** What `judge` answers; when it throws nobody will read the body. */
function orDiscard<T>(outcome: StatementOutcome, judge: () => T): T {
  try {
    return judge()
  } catch (err) {
    discardBody(outcome)
    throw err
  }
}

/** Lets go of a body that nobody will read: open subrequests are few, and unread ones hold later ones up. */
export function discardBody({ body }: StatementOutcome): void {
  // A stream that was read to its end already cannot be cancelled and need not be.
  if (body instanceof ReadableStream) body.cancel().catch(() => undefined)
}

/** The user's functions and triggers may set the status and headers (`response.status`, `response.headers`). */
function applyResponseSettings(
  { responseHeaders, responseStatus }: StatementOutcome,
  headers: Record<string, string>,
  cookies: string[],
  status: number,
): number {
  if (responseHeaders !== null) setHeaders(responseHeaders, headers, cookies)
  if (responseStatus === null) return status
  const chosen = /^[2-5]\d\d$/.test(responseStatus) ? Number(responseStatus) : undefined
  if (chosen !== undefined && !REPEATED_STATUSES.has(chosen)) return chosen
  throw badSetting(
    'response.status guc must be a valid status code',
    `It is "${responseStatus.slice(0, 100)}"; 408, 421 and 425 make browsers send the request again.`,
    "Set it with set_config('response.status', '202', true).",
  )
}

/** Of one connection, or of the bytes that the runtime sends: an answer that sets them itself cannot be read. */
const CONNECTION_HEADERS =
  'content-length|transfer-encoding|connection|keep-alive|upgrade|trailer|te|proxy-.*'
/** What Quoin itself says about a request; callers and browsers act on it. Retry-After is left to the user's work. */
const OWN_HEADERS = 'x-ratelimit-.*|ratelimit.*|x-request-id|server-timing|access-control-.*'
const SERVER_HEADERS = new RegExp(`^(?:${CONNECTION_HEADERS}|${OWN_HEADERS})$`)

function setHeaders(text: string, headers: Record<string, string>, cookies: string[]): void {
  for (const [name, value] of parseHeaders(text)) {
    if (SERVER_HEADERS.test(name)) {
      throw badSetting(
        `response.headers guc must not set ${name}`,
        'The length and the connection of an answer, its request id, rate limit, timing and CORS belong to the server.',
        'Leave it out of response.headers.',
      )
    }
    if (name === 'set-cookie') cookies.push(value)
    else headers[name] = value
  }
}

/** Lower-case names and values of `[{"Name": "value"}, ...]`. */
function parseHeaders(text: string): [name: string, value: string][] {
  try {
    const list: unknown = JSON.parse(text)
    if (!Array.isArray(list)) throw new TypeError('not an array')
    return list.map(item => {
      const [[name, value] = [], ...others] = Object.entries(item as Record<string, unknown>)
      if (name === undefined || typeof value !== 'string' || others.length > 0)
        throw new TypeError('not one key')
      // Building a throw-away Headers refuses names and values that HTTP cannot carry.
      new Headers([[name, value]])
      return [name.toLowerCase(), value]
    })
  } catch (cause) {
    throw badSetting(
      'response.headers guc must be a JSON array composed of objects with a single key and a string value',
      `It is ${text.slice(0, 100)}.`,
      `Set it like '[{"Cache-Control": "max-age=60"}]'.`,
      cause,
    )
  }
}

/** The settings are read after COMMIT: a caller that would send the request again must know. */
function badSetting(message: string, detail: string, hint: string, cause?: unknown): DomainError {
  return new DomainError('internal_error', message, {
    detail: `${detail} What the request changed is committed, unless it asked for tx=rollback.`,
    hint,
    cause,
  })
}
