// Pages of identities, in the identity provider's order: by id.

import type { Upstream } from '../../clients/http.ts'
import { listIdentities as askForIdentities } from '../../clients/identity-admin.ts'
import { invalidCursor, readCursor, writeCursor } from '../../clients/page-cursor.ts'
import { toIdentity } from './identity-record.ts'
import type { IdentityList, IdentityListQuery } from './schemas.ts'

export interface IdentityDeps {
  upstreams: { identityAdmin: Upstream }
}

/**
 * One page of identities. Throws `invalid_parameter` for a cursor that is not one of ours, and the `upstream_*`
 * errors.
 */
export async function listIdentities(
  { upstreams }: IdentityDeps,
  query: IdentityListQuery,
): Promise<IdentityList> {
  const answer = await askForIdentities(upstreams.identityAdmin, {
    pageSize: query.limit,
    pageToken: readCursor(query.cursor),
    ids: query.ids,
    credentialsIdentifier: query.email,
  })
  if (answer.outcome === 'refused_token') throw invalidCursor()
  return {
    data: answer.identities.map(toIdentity),
    next_cursor: writeCursor(answer.nextPageToken),
  }
}
