// Who writes a resumable upload: the holder of an API key, a signed-in user, or whoever has a signed token.

import { DomainError } from '../../../errors.ts'
import { sha256Hex } from '../../../lib/hash.ts'
import type { ObjectPlace } from '../names.ts'
import { checkBegunUpload, findSignedUpload, type PublicDeps } from '../public/find-public-file.ts'
import type { StorageCall } from '../storage-call.ts'

export interface UploadWriter {
  /** How the database is asked. */
  readonly call: StorageCall
  /** The same for all requests of whoever may go on with an upload, and for nobody else. */
  readonly identity: string
  /** Whom open uploads count against: of a token, the person who signed it, else the token by itself. */
  readonly openedBy: string
  /** What may be written there, asked when an upload begins. Throws where it may not. */
  readonly grantFor: (place: ObjectPlace) => Promise<WriteGrant>
}

export interface WriteGrant {
  /** `sub` of whoever the object will belong to; null: nobody. */
  readonly ownerId: string | null
  /** What the token says; undefined: what the request asks for. */
  readonly mode?: 'create' | 'replace'
}

/** Whoever has the key, or the person with the access token beside it: policies decide. */
export function keyWriter(
  call: StorageCall,
  { apiKeyId, subject }: { apiKeyId: string; subject: string | null },
): UploadWriter {
  const identity = subject === null ? `key:${apiKeyId}` : `user:${subject}`
  return {
    call,
    identity,
    openedBy: identity,
    grantFor: async () => ({ ownerId: subject }),
  }
}

/**
 * Whoever has the token, past all policies. It is checked when an upload begins: what takes longer than the token lasts
 * is not cut off. Throws `invalid_signature` without one.
 */
export async function signedWriter(
  deps: PublicDeps,
  call: StorageCall,
  token: string | null,
): Promise<UploadWriter> {
  if (token === null) {
    throw new DomainError('invalid_signature', 'Missing x-signature header', {
      hint: 'Send the token of a signed upload address as x-signature.',
    })
  }
  const { owner } = await checkBegunUpload(deps, token)
  const identity = `token:${await sha256Hex(token)}`
  return {
    call,
    identity,
    openedBy: owner === null ? identity : `user:${owner}`,
    async grantFor(place) {
      const { owner, upsert } = await findSignedUpload(deps, place, token)
      return { ownerId: owner, mode: upsert ? 'replace' : 'create' }
    },
  }
}
