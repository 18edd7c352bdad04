// The answer of a verb, and the headers that all answers share. Knows no HTTP framework.

import type { OutputFormat } from '../grammar/media-type.ts'
import { type Page, pageStatus } from '../grammar/page.ts'
import type { DataApiDeps, DataContext } from '../run/data-session.ts'
import { parseChosenHeaders, parseChosenStatus } from '../run/response-settings.ts'
import type { StatementOutcome } from '../run/run-plan.ts'
import { inertHeaders } from './inert-headers.ts'

/** What goes back to the caller; the app makes a `Response` of it. */
export interface DataAnswer {
  readonly status: number
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: BodyInit | null
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
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) headers[name] = value
  if (deps.config.dbSchemas.length > 1) headers['content-profile'] = schema
  const mayChoose = outcome && call.isAnswerFixed !== true
  const chosen = mayChoose
    ? orDiscard(outcome, () => applyResponseSettings(outcome, headers, status))
    : status
  const sent = chosen === 204 || chosen === 205 || chosen === 304 ? null : body
  if (outcome && sent === null) discardBody(outcome)
  return { status: chosen, headers: inertHeaders(headers), body: sent }
}

/** 200 with the plan that was asked for. */
export function explained(
  deps: DataApiDeps,
  context: DataContext,
  { contentType }: OutputFormat,
  { body }: StatementOutcome,
): DataAnswer {
  return answer(deps, context, 200, body, { 'content-type': contentType })
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

/** The status, with what the user's functions and triggers set (`response.status`, `response.headers`). */
function applyResponseSettings(
  { responseHeaders, responseStatus }: StatementOutcome,
  headers: Record<string, string>,
  status: number,
): number {
  if (responseHeaders !== null) Object.assign(headers, parseChosenHeaders(responseHeaders))
  return responseStatus === null ? status : parseChosenStatus(responseStatus)
}
