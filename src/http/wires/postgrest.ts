// Refusals under /rest/v1 as PostgREST 14 says them: its codes, statuses and words, and `details` for our `detail`.
// What PostgREST has no word for (a key, a limit, a size) keeps our code and our words. The body has these four keys
// alone, since clients compare it as a whole: the request id is in X-Request-Id, as of every answer.

import * as z from 'zod'
import { PostgresError } from '../../db/postgres-error.ts'
import { DomainError, type ErrorCode, type PostgrestWords } from '../../errors.ts'
import type { ErrorAnswer } from '../error-response.ts'
import type { RawAnswer } from '../route.ts'
import type { RefusedRequest, Wire } from './wire.ts'

const PREFIX = '/rest/v1'

/** A code of ours in PostgREST's; `isItsOwn`: it gives no hint there, so ours is left out. */
interface Named {
  readonly code: string
  readonly isItsOwn?: boolean
}

const NAMES: Partial<Record<ErrorCode, Named>> = {
  database_unavailable: { code: 'PGRST000' },
  invalid_access_token: { code: 'PGRST301' },
  invalid_body: { code: 'PGRST102' },
  invalid_filter: { code: 'PGRST100' },
  invalid_order: { code: 'PGRST100' },
  invalid_parameter: { code: 'PGRST100' },
  invalid_preference: { code: 'PGRST122' },
  invalid_range: { code: 'PGRST103', isItsOwn: true },
  invalid_select: { code: 'PGRST100' },
  max_affected_exceeded: { code: 'PGRST124', isItsOwn: true },
  not_acceptable: { code: 'PGRST107', isItsOwn: true },
  not_singular: { code: 'PGRST116', isItsOwn: true },
  schema_not_exposed: { code: 'PGRST106' },
  unsupported_media_type: { code: 'PGRST102', isItsOwn: true },
}

/** By PostgREST's code, where its status is another than that of our code. */
const STATUS: Readonly<Record<string, number>> = {
  PGRST102: 400,
  PGRST105: 405,
  PGRST200: 400,
  PGRST201: 300,
  PGRST204: 400,
  PGRST205: 404,
}

/** Of SQLSTATEs, then of their classes: the table of PostgREST's `Error.hs`. Every other is 400. */
const STATUS_BY_SQLSTATE: Readonly<Record<string, number>> = {
  '21000': 500,
  '23503': 409,
  '23505': 409,
  '25006': 405,
  '42883': 404,
  '42P01': 404,
  '42P17': 500,
  '53400': 500,
  '57P01': 503,
  P0001: 400,
}
const STATUS_BY_CLASS: Readonly<Record<string, number>> = {
  '08': 503,
  '09': 500,
  '0L': 403,
  '0P': 403,
  '25': 500,
  '28': 403,
  '2D': 500,
  '38': 500,
  '39': 500,
  '3B': 500,
  '40': 500,
  '53': 503,
  '54': 500,
  '55': 500,
  '57': 500,
  P0: 500,
}

const PostgrestError = z
  .object({
    code: z.string().describe("PostgREST's code or Postgres' SQLSTATE; where there is neither, ours"),
    message: z.string(),
    details: z.unknown().describe('more about it: a text, a list of candidates, or null'),
    hint: z.string().nullable().describe('what to do'),
  })
  .meta({
    id: 'PostgrestError',
    examples: [
      {
        code: 'PGRST116',
        message: 'Cannot coerce the result to a single JSON object',
        details: 'The result contains 0 rows',
        hint: null,
      },
    ],
  })

/** The paths of PostgREST, as Supabase serves them. */
export const POSTGREST_WIRE: Wire = {
  prefix: PREFIX,
  documented: { name: 'PostgrestError', content: { 'application/json': PostgrestError } },
  refusal,
}

function refusal(answer: ErrorAnswer, refused: RefusedRequest): RawAnswer {
  const { code, message, details, hint } = wordsOf(answer, refused)
  const status = statusOf(answer, code)
  // Clients of PostgREST ask again on 503; a read can be asked again at any time.
  const again: Record<string, string> =
    status === 503 && isRead(refused.request) ? { 'retry-after': '1' } : {}
  return {
    status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      // A function of the user may have made the code up.
      ...(/^[\w.-]{1,63}$/.test(code) ? { 'proxy-status': `PostgREST; error=${code}` } : {}),
      ...again,
      ...answer.headers,
    },
    body: JSON.stringify({ code, message, details, hint }),
  }
}

function isRead({ method }: Request): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS'
}

type Words = Required<PostgrestWords>

/** What PostgREST says of a body without more. */
const BODY_WORDS: ReadonlySet<string> = new Set([
  'Empty or invalid json',
  'All object keys must match',
  'All lines must have same number of fields',
])

function wordsOf({ body, cause }: ErrorAnswer, refused: RefusedRequest): Words {
  const { code, error: message, detail: details, hint } = body
  if (cause instanceof PostgresError) {
    const own = { code, message, details, hint: cause.isHintOurs ? null : hint }
    return cause.postgrest ? { ...own, hint: null, ...cause.postgrest } : own
  }
  if (!(cause instanceof DomainError)) return { code, message, details, hint }
  if (cause.postgrest) return { message, details, hint: null, ...cause.postgrest }
  if (code === 'not_found' || code === 'method_not_allowed') return unserved(code, refused)
  if (BODY_WORDS.has(message)) return { code: 'PGRST102', message, details: null, hint: null }
  const named = NAMES[cause.code]
  return { code: named?.code ?? code, message, details, hint: named?.isItsOwn === true ? null : hint }
}

/** What no route takes. */
function unserved(code: 'not_found' | 'method_not_allowed', { request, path }: RefusedRequest): Words {
  const none = { details: null, hint: null }
  const { method } = request
  if (code === 'method_not_allowed') {
    return path.startsWith(`${PREFIX}/rpc/`)
      ? { code: 'PGRST101', message: `Cannot use the ${method} method on RPC`, ...none }
      : { code: 'PGRST117', message: `Unsupported HTTP method: ${method}`, ...none }
  }
  return path === PREFIX || path === `${PREFIX}/`
    ? { code: 'PGRST126', message: 'Root endpoint metadata is disabled', ...none }
    : { code: 'PGRST125', message: 'Invalid path specified in request URL', ...none }
}

function statusOf({ status, cause }: ErrorAnswer, code: string): number {
  if (!(cause instanceof PostgresError) || code !== cause.code) return STATUS[code] ?? status
  if (cause.answer) return status
  // Who asks decides about a right that is missing; and a function of the user may choose.
  if (code === '42501' || /^PT/.test(code)) return status
  if (code === '21000' && cause.message.endsWith('requires a WHERE clause')) return 400
  if (code === '42883' && cause.message.startsWith('function xmlagg(')) return 406
  return STATUS_BY_SQLSTATE[code] ?? STATUS_BY_CLASS[code.slice(0, 2)] ?? 400
}
