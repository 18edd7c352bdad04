// The id of an API key in a URL, and what is answered when no key has it, or the key is not what it was.

import * as z from 'zod'
import { DomainError } from '../../../errors.ts'

const KeyId = z.uuid()

/** The id in canonical form. Throws `invalid_parameter` for anything but a UUID. */
export function parseKeyId(text: string): string {
  const parsed = KeyId.safeParse(text)
  if (parsed.success) return parsed.data.toLowerCase()
  throw new DomainError('invalid_parameter', 'The id in the path is not a UUID.', {
    hint: 'Use the `id` of the key from GET /v1/keys, not the key itself.',
  })
}

/** No key has the id. */
export function keyNotFound(id: string): DomainError {
  return new DomainError('not_found', `No API key has the id ${id}.`, {
    hint: 'GET /v1/keys and the dashboard list the keys and their ids.',
  })
}

/** Of two changes at once one found another row than it had read. */
export function changedMeanwhile(): DomainError {
  return new DomainError(
    'conflict',
    'The key was changed, rotated or revoked by somebody else at the same time.',
    {
      hint: 'Look at the key again, in GET /v1/keys or the dashboard, then decide.',
    },
  )
}
