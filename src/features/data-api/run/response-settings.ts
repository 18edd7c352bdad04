// What the user's functions and triggers may choose of an answer, and what they may not. Pure.

import { DomainError } from '../../../errors.ts'
import { REPEATED_STATUSES } from '../../../lib/repeated-statuses.ts'

/** Of one connection, or of the bytes that the runtime sends: an answer that sets them itself cannot be read. */
const CONNECTION_HEADERS =
  'content-length|transfer-encoding|connection|keep-alive|upgrade|trailer|te|proxy-.*'
/** What Quoin itself says about a request; callers and browsers act on it. Retry-After is left to the user's work. */
const OWN_HEADERS = 'x-ratelimit-.*|ratelimit.*|x-request-id|server-timing'
/** What browsers do to everything else at this origin, the dashboard's session among it. */
const ORIGIN_HEADERS =
  'set-cookie2?|clear-site-data|refresh|access-control-.*|content-security-policy.*|strict-transport-security|' +
  'x-content-type-options|x-frame-options|nel|report-to|reporting-endpoints|alt-svc|service-worker-allowed|' +
  'accept-ch|critical-ch|origin-agent-cluster|host|www-authenticate|cross-origin-.*|timing-allow-origin|' +
  'permissions-policy.*|document-policy.*|set-login|sec(?:ure)?-session-.*|use-as-dictionary|' +
  'activate-storage-access|attribution-reporting-.*'
const SERVER_HEADERS = new RegExp(`^(?:${CONNECTION_HEADERS}|${OWN_HEADERS}|${ORIGIN_HEADERS})$`)

/** The status in the text of `response.status`. Throws `internal_error`: it is read when all is committed. */
export function parseChosenStatus(text: string): number {
  const status = Number(text)
  if (/^\d{3}$/.test(text) && isChoosable(status)) return status
  throw badSetting('PGRST112', 'response.status guc must be a valid status code', {
    detail: `It is "${text.slice(0, 100)}"; 408, 421 and 425 make browsers send the request again.`,
    hint: "Set it with set_config('response.status', '202', true).",
  })
}

/** Whether a user's function may choose it. */
export function isChoosable(status: number): boolean {
  return Number.isInteger(status) && status >= 200 && status <= 599 && !REPEATED_STATUSES.has(status)
}

/** Lower-case names and values of `response.headers`, `[{"Name": "value"}, ...]`. Throws `internal_error`, as above. */
export function parseChosenHeaders(text: string): Record<string, string> {
  const pairs = readPairs(text)
  const refused = pairs.find(([name]) => !isHeaderChoosable(name))
  if (refused === undefined) return Object.fromEntries(pairs)
  throw badSetting('PGRST111', `response.headers guc must not set ${refused[0]}`, {
    detail:
      'The connection of an answer, its request id, rate limit, timing and CORS belong to the server; cookies and ' +
      'the security of this origin do, too.',
    hint: 'Leave it out of response.headers.',
  })
}

/** Whether a user's function may set the header of this lower-case name. */
export function isHeaderChoosable(name: string): boolean {
  return !SERVER_HEADERS.test(name)
}

/** The header's name in lower case, and its value. Throws `TypeError` for what HTTP cannot carry. */
export function checkedHeader(name: string, value: unknown): [name: string, value: string] {
  if (name === '' || typeof value !== 'string') throw new TypeError('not a name and a text')
  new Headers([[name, value]])
  return [name.toLowerCase(), value]
}

function readPairs(text: string): [name: string, value: string][] {
  try {
    const list: unknown = JSON.parse(text)
    if (!Array.isArray(list)) throw new TypeError('not an array')
    return list.map(item => {
      if (Array.isArray(item)) throw new TypeError('not an object')
      const [[name, value] = [], ...others] = Object.entries(item as Record<string, unknown>)
      if (name === undefined || others.length > 0) throw new TypeError('not one key')
      return checkedHeader(name, value)
    })
  } catch (cause) {
    throw badSetting(
      'PGRST111',
      'response.headers guc must be a JSON array composed of objects with a single key and a string value',
      { detail: `It is ${text.slice(0, 100)}.`, hint: `Set it like '[{"Cache-Control": "max-age=60"}]'.` },
      cause,
    )
  }
}

/** The settings are read after COMMIT: a caller that would send the request again must know. */
function badSetting(
  code: string,
  message: string,
  { detail, hint }: { detail: string; hint: string },
  cause?: unknown,
): DomainError {
  return new DomainError('internal_error', message, {
    detail: `${detail} What the request changed is committed, unless it asked for tx=rollback.`,
    hint,
    cause,
    postgrest: { code, details: null },
  })
}
