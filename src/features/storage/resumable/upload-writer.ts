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
  /** The key that open uploads count against; undefined: a signed token's. */
  readonly apiKeyId: string | undefined
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
  return {
    call,
    identity: subject === null ? `key:${apiKeyId}` : `user:${subject}`,
    apiKeyId,
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
  await checkBegunUpload(deps, token)
  return {
    call,
    identity: `token:${await sha256Hex(token)}`,
    apiKeyId: undefined,
    async grantFor(place) {
      const { owner, upsert } = await findSignedUpload(deps, place, token)
      return { ownerId: owner, mode: upsert ? 'replace' : 'create' }
    },
  }
}
