// Changes a client. Goes as one patch of the fields that were sent: what is left out keeps its value, and no change
// touches the secret.

import { patchClient } from '../../../clients/oauth-server/clients.ts'
import { DomainError } from '../../../errors.ts'
import { audited } from '../../audit/audited.ts'
import type { Caller } from '../../audit/caller.ts'
import { refusePrivateAddresses } from './called-addresses.ts'
import { refuseLargeRecord } from './challenge-size.ts'
import { type ClientFieldsDeps, TARGET_KIND } from './client-change.ts'
import { toOAuthClient, toWireChange } from './client-record.ts'
import { refuseBadCombinations, settingsAfter } from './combinations.ts'
import { refuseForeignOwner } from './create-client.ts'
import { clientNotFound, readOwnClient } from './own-client.ts'
import type { OAuthClient, OAuthClientIn, OAuthClientPatch } from './schemas.ts'

/**
 * Changes the fields that were sent and answers the whole record. Throws `not_found`, `validation_failed`,
 * `unsupported_combination`, `conflict` when `updated_at` was sent and is not that of the record,
 * `oauth_client_refused` and the `upstream_*` errors.
 */
export async function updateOAuthClient(
  deps: ClientFieldsDeps,
  caller: Caller,
  id: string,
  patch: OAuthClientPatch,
): Promise<OAuthClient> {
  const before = await readOwnClient(deps, id)
  const input = withoutFixedFields(before, patch)
  refuseForeignOwner(deps.config, input)
  refusePrivateAddresses(deps.config, input)
  refuseBadCombinations(settingsAfter(before, input), input)
  const { grant_types = before.grant_types } = input
  await refuseLargeRecord({ ...before, ...input, grant_types }, input, before)
  return await audited(deps, caller, { targetKind: TARGET_KIND, targetId: id, before }, async () => {
    const wire = await patchClient(deps.upstreams.oauthAdmin, id, toWireChange(input))
    if (wire === undefined) throw clientNotFound(id)
    const result = toOAuthClient(wire)
    return { result, after: result }
  })
}

/**
 * What is to be written. Fields that cannot be written may come along unchanged, as in a record that is sent back
 * whole.
 */
function withoutFixedFields(before: OAuthClient, patch: OAuthClientPatch): OAuthClientIn {
  const { client_id, client_secret, created_at, updated_at, ...input } = patch
  if (client_id !== undefined && client_id !== before.client_id) throw fixedField('client_id')
  if (created_at !== undefined && created_at !== before.created_at) throw fixedField('created_at')
  if (client_secret !== undefined)
    throw fixedField(
      'client_secret',
      `Leave it out. POST /api/oauthsrv/clients/${before.client_id}/secret makes a new one.`,
    )
  if (updated_at !== undefined && updated_at !== before.updated_at) {
    throw new DomainError('conflict', 'The client was changed since the record that was sent was read.', {
      detail: `updated_at is ${before.updated_at}`,
      hint: 'Read it again, or leave updated_at out to change it all the same.',
    })
  }
  if (Object.keys(input).length === 0)
    throw new DomainError('validation_failed', 'body: names no field to change.', {
      hint: 'Send at least one field.',
    })
  return input
}

function fixedField(name: string, hint = 'Leave it out, or make a new client.'): DomainError {
  return new DomainError('validation_failed', `body.${name}: cannot be changed.`, { hint })
}
