// Which clients are ours: those that the OAuth2 server has or, where the deployment names an owner, those that belong
// to it. Another owner's client is answered as one that does not exist, everywhere.

import type { Upstream } from '../../../clients/http.ts'
import { getClient } from '../../../clients/oauth-server/clients.ts'
import { DomainError } from '../../../errors.ts'
import { toOAuthClient } from './client-record.ts'
import type { OAuthClient } from './schemas.ts'

/** What it takes to look at clients. */
export interface OAuthClientDeps {
  upstreams: { oauthAdmin: Upstream }
  config: OwnerConfig
}

export interface OwnerConfig {
  oauthClientOwner: string | undefined
}

/** Whether a client is ours, by the `owner` that the OAuth2 server has for it. */
export function isOwnClient(config: OwnerConfig, client: { owner?: string | null | undefined }): boolean {
  return config.oauthClientOwner === undefined || client.owner === config.oauthClientOwner
}

/**
 * The client of ours with this id; undefined when there is none. Throws the `upstream_*` errors and `not_configured`.
 */
export async function findOwnClient(deps: OAuthClientDeps, id: string): Promise<OAuthClient | undefined> {
  const client = await getClient(deps.upstreams.oauthAdmin, id)
  return client !== undefined && isOwnClient(deps.config, client) ? toOAuthClient(client) : undefined
}

/** As `findOwnClient`; throws `not_found` when there is none. */
export async function readOwnClient(deps: OAuthClientDeps, id: string): Promise<OAuthClient> {
  const client = await findOwnClient(deps, id)
  if (client === undefined) throw clientNotFound(id)
  return client
}

/** No client of ours has the id. */
export function clientNotFound(id: string): DomainError {
  return new DomainError('not_found', `No OAuth2 client has the id ${id.slice(0, 100)}.`, {
    hint: 'The list of clients shows their ids.',
  })
}
