// Deletes a signing key; the second half of a rotation (Spec, Signing key rotation).

import { deleteStoredKey } from '../../../clients/oauth-server/keys.ts'
import { DomainError } from '../../../errors.ts'
import { audited } from '../../audit/audited.ts'
import type { Caller } from '../../audit/caller.ts'
import { isAnotherUnderWay } from '../../audit/pending-changes.ts'
import type { ChangeSigningKeysDeps } from './create-signing-key.ts'
import { deleteKeyDate } from './key-dates.ts'
import { listSigningKeys } from './list-signing-keys.ts'
import { SERVER_KEY_SETS, type SigningKey } from './schemas.ts'

/**
 * Deletes a key and answers what it was; tokens signed with it verify no longer. Throws `not_found`. In a set that the
 * server signs with, throws `last_signing_key` for the only key (the server would make itself another, unasked). In
 * such a set, also throws `conflict` while another key is being deleted.
 */
export async function deleteSigningKey(
  deps: ChangeSigningKeysDeps,
  { set: setId, kid }: { set: string; kid: string },
  caller: Caller,
): Promise<SigningKey> {
  // The server says 204 for every key, so whether there is one is found out before.
  const keys = await listSigningKeys(deps, setId)
  const key = keys.find(candidate => candidate.kid === kid)
  if (key === undefined) {
    throw new DomainError('not_found', `The key set "${setId}" has no such key.`, {
      hint: `It may be removed already: GET /api/oauthsrv/keys/${setId} lists its keys.`,
    })
  }
  if (keys.length === 1 && SERVER_KEY_SETS.includes(setId)) throw lastSigningKey(setId)
  const change = {
    targetKind: 'signing_key',
    targetId: `${setId}/${kid}`,
    before: key,
  }
  return audited(deps, caller, change, async () => {
    if (SERVER_KEY_SETS.includes(setId)) await requireAnotherKey(deps, caller, setId, kid)
    await deleteStoredKey(deps.upstreams.oauthAdmin, setId, kid).finally(() => deps.oauthDocuments.forget())
    await deleteKeyDate(deps, setId, kid)
    return { result: key }
  })
}

/**
 * Two deletions at once would each see the other's key. So one is refused while another is under way, and what is left
 * is read again. What remains: a key that is deleted at the server itself. Others may delete it there, or a call of
 * ours that the server carries out more than a minute late.
 */
async function requireAnotherKey(
  deps: ChangeSigningKeysDeps,
  { action }: Caller,
  setId: string,
  kid: string,
): Promise<void> {
  if (await isAnotherUnderWay(deps, { action, targetId: `${setId}/${kid}`, within: `${setId}/` })) {
    throw new DomainError('conflict', `Another key of ${setId} is being deleted just now.`, {
      hint: 'Look at the keys that are left, and try again in a minute.',
    })
  }
  const keys = await listSigningKeys(deps, setId)
  if (!keys.some(key => key.kid !== kid)) throw lastSigningKey(setId)
}

function lastSigningKey(setId: string): DomainError {
  return new DomainError(
    'last_signing_key',
    `This is the only key of ${setId}, which the server signs with.`,
    {
      hint: 'Create a new key in the set first; from then on that one signs, and this one can be deleted.',
    },
  )
}
