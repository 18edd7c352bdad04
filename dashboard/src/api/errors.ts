// What a call of the API throws: the server's own error, or that it did not answer.

/** The body of every error of `/api`; `request_id` finds it in the log. */
interface ErrorBody {
  error: string
  code: string
  detail: string | null
  hint: string | null
  request_id: string
  line?: number
  column?: number
  statement_index?: number
}

/** The server's error, in its own words, or `unreachable` where no answer of Quoin's came. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly code: string
  readonly detail: string | null
  readonly hint: string | null
  readonly requestId: string | null
  /** Where the SQL that was sent is wrong: lines and characters from 1. */
  readonly place: { line: number; column: number } | undefined
  /** Of a script: the statement that failed, from 0; the number of statements where it failed at its end. */
  readonly statementIndex: number | undefined

  constructor(status: number, body: Omit<ErrorBody, 'request_id'> & { request_id: string | null }) {
    super(body.error)
    this.status = status
    this.code = body.code
    this.detail = body.detail
    this.hint = body.hint
    this.requestId = body.request_id
    const { line, column } = body
    this.place = line === undefined || column === undefined ? undefined : { line, column }
    this.statementIndex = body.statement_index
  }
}

/** The error in an answer's body, which may come from something that stands in front of the Worker. */
export function errorOf(status: number, body: unknown): ApiError {
  if (isErrorBody(body)) return new ApiError(status, body)
  return new ApiError(status, {
    error: `The server answered ${status}, but not in Quoin’s format.`,
    code: 'unreachable',
    detail: null,
    hint: 'A proxy between this page and Quoin may have answered. Check the address of the API.',
    request_id: null,
  })
}

/** For a call that got no answer: the server is down, its address is wrong, or this page may not read it. */
export function unreachable(cause: unknown): ApiError {
  const isTimeout = cause instanceof DOMException && cause.name === 'TimeoutError'
  const err = new ApiError(0, {
    error: isTimeout ? 'The server did not answer in time.' : 'The server cannot be reached.',
    code: 'unreachable',
    detail: null,
    hint: 'Check that Quoin is running, and that DASHBOARD_URL is the address of this page.',
    request_id: null,
  })
  err.cause = cause
  return err
}

/** True where no answer of Quoin's came. */
export function isUnreachable(err: unknown): boolean {
  return err instanceof ApiError && err.code === 'unreachable'
}

/** Answers about an outside server that stay until its settings change; a statement that is too slow (57014). */
const SETTLED = ['upstream_misconfigured', 'upstream_invalid_answer', 'upstream_answer_too_large', '57014']

/** True when the same call may well succeed in a moment, as it is. */
export function isPassing(err: unknown): boolean {
  if (isUnreachable(err)) return true
  return err instanceof ApiError && [502, 503, 504].includes(err.status) && !SETTLED.includes(err.code)
}

function isErrorBody(body: unknown): body is ErrorBody {
  return (
    typeof body === 'object' && body !== null && 'error' in body && 'code' in body && 'request_id' in body
  )
}
