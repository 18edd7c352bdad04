// The errors of the Kratos and Keto wires, which one library of Ory's makes: what a handler throws, and the JSON it
// becomes.

import { STATUS_CODES } from 'node:http'

export interface ErrorBody {
  readonly id?: string
  readonly code: number
  readonly status: string
  readonly reason?: string
  readonly details?: Readonly<Record<string, unknown>>
  readonly message: string
}

interface ErrorParts {
  readonly id?: string
  readonly message?: string
  readonly reason?: string
  readonly details?: Readonly<Record<string, unknown>>
  /** Of the answer, where it is not the code that the body names. */
  readonly httpStatus?: number
  /** Stands beside `error` in the answer. */
  readonly beside?: Readonly<Record<string, unknown>>
}

export class WireError extends Error {
  readonly body: ErrorBody
  readonly beside: Readonly<Record<string, unknown>>
  readonly httpStatus: number

  constructor(code: number, { beside = {}, message, httpStatus = code, ...parts }: ErrorParts = {}) {
    const status = STATUS_CODES[code] ?? 'error'
    const text = message ?? status
    super(text)
    this.name = 'WireError'
    const { id, ...rest } = parts
    this.body = { ...(id === undefined ? {} : { id }), code, status, ...rest, message: text }
    this.beside = beside
    this.httpStatus = httpStatus
  }
}

export const badRequest = (reason: string) => new WireError(400, { reason })

/** 400 whose sentence stands in `message`, as where Ory passes on a parser's words. */
export const unreadable = (message: string) => new WireError(400, { message })

/** What a caller is told of an error: an unexpected one is logged (never what the caller sent) and told as a 500. */
export function toWireError(err: unknown): WireError {
  if (err instanceof WireError) return err
  console.error(err instanceof Error ? err.stack : err)
  return new WireError(500)
}
