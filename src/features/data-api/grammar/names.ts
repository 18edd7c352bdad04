// Refuses names that could not be names in Postgres, before one is quoted into SQL text. Pure.

import { DomainError, type ErrorCode } from '../../../errors.ts'
import { NAME_BYTES_MAX } from '../limits.ts'
import { refuseUnstorable } from '../storable-text.ts'

/** Most bytes that one unit of a JavaScript text takes in UTF-8: only long names need to be encoded to be counted. */
const BYTES_PER_UNIT_MAX = 3
const ENCODER = new TextEncoder()

/** True when Postgres would cut the name off, and might then find another object than the one named. */
export function isNameTooLong(name: string): boolean {
  if (name.length * BYTES_PER_UNIT_MAX <= NAME_BYTES_MAX) return false
  return name.length > NAME_BYTES_MAX || ENCODER.encode(name).length > NAME_BYTES_MAX
}

/** Throws `code` unless `name` is 1 to 63 bytes of text without NUL and lone surrogates. */
export function refuseBadName(code: ErrorCode, what: string, name: string): void {
  refuseUnstorable(code, what, name)
  if (name === '') throw new DomainError(code, `${what} is empty.`)
  if (isNameTooLong(name)) {
    throw new DomainError(
      code,
      `${what} is longer than ${NAME_BYTES_MAX} bytes, which no name in Postgres is.`,
      {
        detail: `It begins with "${name.slice(0, 40)}".`,
      },
    )
  }
}
