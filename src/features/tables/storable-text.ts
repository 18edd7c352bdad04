// Refuses text that Postgres cannot hold: NUL, and halves of surrogate pairs, which would arrive as another character.

import { DomainError, type ErrorCode } from '../../errors.ts'

/** Throws `code` naming `where` when `text` cannot be stored as it is. */
export function refuseUnstorable(code: ErrorCode, where: string, text: string): void {
  if (text.includes('\u0000')) throw unstorable(code, where, 'a NUL character')
  if (!text.isWellFormed()) throw unstorable(code, where, 'half of a surrogate pair')
}

/** Escapes that JSON.parse would turn into something unstorable; most bodies have none and are not walked. */
const SUSPICIOUS_ESCAPE = /\\u(?:0000|d[89a-f])/i

/** The same for every string and key of a JSON document, given as text and as value. */
export function refuseUnstorableJson(text: string, value: unknown): void {
  refuseUnstorable('invalid_body', 'The body', text)
  if (SUSPICIOUS_ESCAPE.test(text)) walk(value, 'the body')
}

/** Deeper JSON than this is an attack on the stack, not data. */
const DEPTH_MAX = 200

function walk(value: unknown, path: string, depth = 0): void {
  if (depth > DEPTH_MAX)
    throw new DomainError('invalid_body', `The body is nested deeper than ${DEPTH_MAX} levels.`)
  if (typeof value === 'string') refuseUnstorable('invalid_body', `A string in ${path}`, value)
  if (typeof value !== 'object' || value === null) return
  for (const [key, item] of Object.entries(value)) {
    refuseUnstorable('invalid_body', `A key in ${path}`, key)
    walk(item, `${path}.${key}`.slice(0, 200), depth + 1)
  }
}

function unstorable(code: ErrorCode, where: string, what: string): DomainError {
  return new DomainError(code, `${where} holds ${what}, which Postgres cannot store.`, {
    hint: 'Remove it, or send binary data as base64 or hex text.',
  })
}
