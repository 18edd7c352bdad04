// Refuses text that Postgres cannot hold: NUL, and halves of surrogate pairs, which would arrive as another character.

import { DomainError, type ErrorCode } from '../../errors.ts'

/** Throws `code` naming `where` when `text` cannot be stored as it is. */
export function refuseUnstorable(code: ErrorCode, where: string, text: string): void {
  if (text.includes('\u0000')) throw unstorable(code, where, 'a NUL character')
  if (!text.isWellFormed()) throw unstorable(code, where, 'half of a surrogate pair')
}

/** `where` holds `what`. */
export function unstorable(code: ErrorCode, where: string, what: string): DomainError {
  return new DomainError(code, `${where} holds ${what}, which Postgres cannot store.`, {
    hint: 'Remove it, or send binary data as base64 or hex text.',
  })
}
