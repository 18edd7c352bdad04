// Pages of identities, in the identity provider's order: by id.

import * as z from 'zod'
import type { Upstream } from '../../clients/http.ts'
import { listIdentities as askForIdentities } from '../../clients/identity-admin.ts'
import { DomainError } from '../../errors.ts'
import { toIdentity } from './identity-record.ts'
import type { IdentityList, IdentityListQuery } from './schemas.ts'

export interface IdentityDeps {
  upstreams: { identityAdmin: Upstream }
}

/**
 * The provider's page token: the last id of the page, or, where a newer version makes tokens of its own, a long text.
 * What a caller made up goes no further than this: such servers have crashed on shorter ones.
 */
const Position = z.tuple([z.union([z.guid(), z.string().regex(/^[\w.+/=-]{40,600}$/)])])

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
    pageToken: query.cursor === undefined ? undefined : readCursor(query.cursor),
    ids: query.ids,
    credentialsIdentifier: query.email,
  })
  if (answer.outcome === 'refused_token') throw invalidCursor()
  return {
    data: answer.identities.map(toIdentity),
    next_cursor: answer.nextPageToken === undefined ? null : btoa(JSON.stringify([answer.nextPageToken])),
  }
}

function readCursor(cursor: string): string {
  try {
    return Position.parse(JSON.parse(atob(cursor)))[0]
  } catch (cause) {
    throw invalidCursor(cause)
  }
}

function invalidCursor(cause?: unknown): DomainError {
  return new DomainError('invalid_parameter', 'query.cursor: not a cursor of this list, or an old one.', {
    hint: 'Send next_cursor of the page before as it is, or leave cursor out for the first page.',
    cause,
  })
}
