// What a body with too many rows, fields or keys is told. Pure.

import { DomainError } from '../../../errors.ts'
import { COLUMNS_MAX } from '../limits.ts'

/** `413` for a body with more `things` than are taken at once. */
export function tooMany(things: string, max: number): DomainError {
  return new DomainError('payload_too_large', `A body takes at most ${max} ${things}.`, {
    hint: 'Send it in several parts.',
  })
}

/** `400` for a row with more keys than Postgres has columns for. */
export function tooManyKeys(): DomainError {
  return new DomainError('invalid_body', `A row takes at most ${COLUMNS_MAX} keys.`)
}
