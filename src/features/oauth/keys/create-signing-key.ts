// Makes a signing key; the first half of a rotation (Spec, Signing key rotation).

import type { Upstream } from '../../../clients/http.ts'
import { createStoredKey } from '../../../clients/oauth-server/keys.ts'
import { DomainError, isOutcomeUnknown } from '../../../errors.ts'
import { audited } from '../../audit/audited.ts'
import type { Caller } from '../../audit/caller.ts'
import type { PublicDocuments } from '../documents/public-documents.ts'
import { deleteKeyDate, insertKeyDate, type KeyDatesDeps } from './key-dates.ts'
import { toSigningKey } from './list-signing-keys.ts'
import { SERVER_KEY_SETS, type SigningKey, type SigningKeyIn } from './schemas.ts'

export interface ChangeSigningKeysDeps extends KeyDatesDeps {
  upstreams: { oauthAdmin: Upstream }
  oauthDocuments: Pick<PublicDocuments, 'forget'>
}

/**
 * Makes a key in a set, and the set with it where there is none. In a set that the server signs with, the key signs
 * from now on. Throws `validation_failed` for a key there that is not for signing, and the `upstream_*` errors.
 */
export async function createSigningKey(
  deps: ChangeSigningKeysDeps,
  { set_id: setId, algorithm, use }: SigningKeyIn,
  caller: Caller,
): Promise<SigningKey> {
  if (use !== 'sig' && SERVER_KEY_SETS.includes(setId)) {
    throw new DomainError(
      'validation_failed',
      `body.use: must be "sig" in ${setId}, which the server signs with.`,
      { hint: 'Leave use out or send "sig"; a key for encryption belongs into a set of your own.' },
    )
  }
  const kid = crypto.randomUUID()
  const change = { targetKind: 'signing_key', targetId: `${setId}/${kid}` }
  return audited(deps, caller, change, async () => {
    // First the date: should the server's answer get lost, a key that it has made is listed with it all the same.
    const createdAt = await insertKeyDate(deps, { setId, kid, algorithm, use })
    const key = await createStoredKey(deps.upstreams.oauthAdmin, setId, { alg: algorithm, use, kid })
      .catch(err => takeDateBack(deps, setId, kid, err))
      .finally(() => deps.oauthDocuments.forget())
    const result = toSigningKey(setId, key, createdAt)
    return { result, after: result }
  })
}

/** Throws the error, and deletes the date of a key that was certainly not made. */
async function takeDateBack(deps: KeyDatesDeps, setId: string, kid: string, err: unknown): Promise<never> {
  if (!isOutcomeUnknown(err)) {
    await deleteKeyDate(deps, setId, kid).catch(() => {
      // A date that is left over belongs to no key of any list: what the caller must hear of is the other error.
    })
  }
  throw err
}
