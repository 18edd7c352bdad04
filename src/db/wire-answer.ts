// Reads the JSON answer of an SQL endpoint into memory, and no more of it than an isolate can hold beside its own work.

import { readBoundedText } from '../lib/bounded-text.ts'
import { answerLost, responseTooLarge } from './wire-failure.ts'

/**
 * Parses a body of at most `bytesMax` bytes; throws `response_too_large` over it, `database_unavailable` when it breaks
 * off. `mayChange`: whether the batch may have changed something, which these then say.
 */
export async function readJson<T>(response: Response, bytesMax: number, mayChange: boolean): Promise<T> {
  const { headers, body } = response
  // A compressed body is longer than it announces.
  const length = headers.has('content-encoding') ? null : headers.get('content-length')
  if (length === null) {
    const text = await orLost(mayChange, () => readBoundedText(body, bytesMax))
    if (text !== undefined) return orLost<T>(mayChange, () => JSON.parse(text))
  } else if (Number(length) <= bytesMax) return orLost<T>(mayChange, () => response.json())
  else await body?.cancel()
  // Status 200 means that the transaction is over.
  throw responseTooLarge(bytesMax, mayChange)
}

async function orLost<T>(mayChange: boolean, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    throw answerLost(cause, mayChange)
  }
}
