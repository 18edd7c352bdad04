// Makes a client. Its secret is ours, so that it has 256 bits whatever the server would give, and is shown once. So is
// its id: should the answer get lost, the audit log says which client to look for.

import { createClient } from '../../../clients/oauth-server/clients.ts'
import { DomainError } from '../../../errors.ts'
import { audited } from '../../audit/audited.ts'
import type { Caller } from '../../audit/caller.ts'
import { refusePrivateAddresses } from './called-addresses.ts'
import { refuseLargeRecord } from './challenge-size.ts'
import { type ClientFieldsDeps, newClientSecret, TARGET_KIND } from './client-change.ts'
import { toOAuthClient, toWireChange } from './client-record.ts'
import { refuseBadCombinations } from './combinations.ts'
import type { OwnerConfig } from './own-client.ts'
import type { CreatedOAuthClient, OAuthClientIn } from './schemas.ts'

/**
 * Makes a client of ours; a confidential one is answered with its secret, this once. Throws
 * `validation_failed`, `unsupported_combination`, `oauth_client_refused` and the `upstream_*` errors.
 */
export async function createOAuthClient(
  deps: ClientFieldsDeps,
  caller: Caller,
  input: OAuthClientIn,
): Promise<CreatedOAuthClient> {
  refuseForeignOwner(deps.config, input)
  refusePrivateAddresses(deps.config, input)
  const settings = withDefaults(input)
  refuseBadCombinations(settings, settings)
  await refuseLargeRecord(settings, input)
  const owner = deps.config.oauthClientOwner
  const fields = toWireChange({ ...settings, ...(owner !== undefined && { owner }) })
  const secret = settings.token_endpoint_auth_method === 'none' ? undefined : newClientSecret()
  const client_id = crypto.randomUUID()
  const target = { targetKind: TARGET_KIND, targetId: client_id }
  return await audited(deps, caller, target, async () => {
    const secretField = secret === undefined ? undefined : { client_secret: secret }
    const wire = await createClient(deps.upstreams.oauthAdmin, { ...fields, ...secretField, client_id })
    const result = { ...toOAuthClient(wire), ...secretField }
    return { result, targetId: wire.client_id, after: result }
  })
}

/** Where the deployment's clients have an owner, no other can be named: that client would be out of reach at once. */
export function refuseForeignOwner({ oauthClientOwner }: OwnerConfig, input: OAuthClientIn): void {
  if (oauthClientOwner === undefined || input.owner === undefined || input.owner === oauthClientOwner) return
  throw new DomainError(
    'validation_failed',
    `body.owner: must be "${oauthClientOwner}" in this deployment.`,
    {
      hint: 'Leave it out: Quoin writes it (OAUTH_CLIENT_OWNER).',
    },
  )
}

/** What is left out, spelled out: the server would store empty lists and read them as something else. */
function withDefaults(input: OAuthClientIn) {
  const grantTypes = input.grant_types ?? ['authorization_code']
  return {
    ...input,
    grant_types: grantTypes,
    response_types: input.response_types ?? responseTypesOf(grantTypes),
    redirect_uris: input.redirect_uris ?? [],
    post_logout_redirect_uris: input.post_logout_redirect_uris ?? [],
    token_endpoint_auth_method: input.token_endpoint_auth_method ?? ('client_secret_basic' as const),
    subject_type: input.subject_type ?? ('public' as const),
    sector_identifier_uri: input.sector_identifier_uri ?? null,
    access_token_strategy: input.access_token_strategy ?? null,
  }
}

/** The response types that the grants are for; the hybrid ones must be asked for. */
function responseTypesOf(grantTypes: readonly string[]): string[] {
  const code = grantTypes.includes('authorization_code') ? ['code'] : []
  return grantTypes.includes('implicit') ? [...code, 'token', 'id_token', 'id_token token'] : code
}
