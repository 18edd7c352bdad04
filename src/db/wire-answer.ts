// Reads the JSON answer of an SQL endpoint into memory, and no more of it than an isolate can hold beside its own work.

import { readBoundedText } from '../lib/bounded-text.ts'
import { databaseUnavailable, responseTooLarge } from './wire-failure.ts'

/** Parses a body of at most `bytesMax` bytes; throws `response_too_large` over it, `database_unavailable` when it breaks off. */
export async function readJson<T>(response: Response, bytesMax: number, isReadOnly: boolean): Promise<T> {
  const { headers, body } = response
  // A compressed body is longer than it announces.
  const length = headers.has('content-encoding') ? null : headers.get('content-length')
  if (length === null) {
    const text = await orUnavailable(() => readBoundedText(body, bytesMax))
    if (text !== undefined) return orUnavailable<T>(() => JSON.parse(text))
  } else if (Number(length) <= bytesMax) return orUnavailable<T>(() => response.json())
  else await body?.cancel()
  // Status 200 means that the transaction is over.
  throw responseTooLarge(bytesMax, !isReadOnly)
}

async function orUnavailable<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    throw databaseUnavailable(cause)
  }
}
