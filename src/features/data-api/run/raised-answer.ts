// RAISE SQLSTATE 'PGRST': a function of the user writes the whole error itself, as in PostgREST. Pure.
// MESSAGE is `{"code", "message", "details", "hint"}`, DETAIL is `{"status", "headers"}`, both JSON.

import { PostgresError } from '../../../db/postgres-error.ts'
import { DomainError } from '../../../errors.ts'
import { checkedHeader, isChoosable, isHeaderChoosable } from './response-settings.ts'

const MESSAGE_HINT =
  "MESSAGE must be a JSON object with obligatory keys: 'code', 'message' and optional keys: 'details', 'hint'."
const DETAIL_HINT =
  "DETAIL must be a JSON object with obligatory keys: 'status', 'headers' and optional key: 'status_text'."

/** An error has a body, which these statuses have not. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304])

/** The error that was meant; `internal_error` (PGRST121) where it cannot be read, or sets a header that it may not. */
export function raisedAnswer({ message, detail }: PostgresError): PostgresError | DomainError {
  const fields = read(message, readMessage)
  if (fields === undefined) return unreadable(`Invalid JSON value for MESSAGE: '${message}'`, MESSAGE_HINT)
  if (detail === undefined) return unreadable('DETAIL is missing in the RAISE statement', DETAIL_HINT)
  const answer = read(detail, readDetail)
  if (answer === undefined) return unreadable(`Invalid JSON value for DETAIL: '${detail}'`, DETAIL_HINT)
  const raised = new PostgresError(fields)
  raised.answer = answer
  return raised
}

function read<T>(text: string, take: (value: Record<string, unknown>) => T): T | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return value === null || typeof value !== 'object' ? undefined : take(value as Record<string, unknown>)
  } catch {
    // No JSON, or not of this shape.
    return undefined
  }
}

function readMessage({ code, message, details, hint }: Record<string, unknown>) {
  return { code: asText(code), message: asText(message), detail: orNull(details), hint: orNull(hint) }
}

function readDetail({ status, headers }: Record<string, unknown>) {
  if (typeof status !== 'number' || !isChoosable(status) || WITHOUT_BODY.has(status))
    throw new TypeError('no status')
  if (headers === null || typeof headers !== 'object' || Array.isArray(headers))
    throw new TypeError('no headers')
  const pairs = Object.entries(headers).map(([name, value]) => checkedHeader(name, value))
  // The body is JSON whatever is said of it.
  if (pairs.some(([name]) => !isHeaderChoosable(name) || name === 'content-type'))
    throw new TypeError('not theirs')
  return { status, headers: Object.fromEntries(pairs) }
}

function asText(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError('no text')
  return value
}

function orNull(value: unknown): string | null {
  return value === undefined || value === null ? null : asText(value)
}

function unreadable(details: string, hint: string): DomainError {
  const message = `Could not parse JSON in the "RAISE SQLSTATE 'PGRST'" error`
  return new DomainError('internal_error', message, {
    detail: details,
    hint,
    postgrest: { code: 'PGRST121', message, details, hint },
  })
}
