// Replaces a client's secret. By a patch: the server's own rotation would keep the old secret alive.

import { patchClient } from '../../../clients/oauth-server/clients.ts'
import { DomainError } from '../../../errors.ts'
import { audited } from '../../audit/audited.ts'
import type { Caller } from '../../audit/caller.ts'
import { type ClientChangeDeps, newClientSecret, TARGET_KIND } from './client-change.ts'
import { toOAuthClient } from './client-record.ts'
import { clientNotFound, readOwnClient } from './own-client.ts'
import type { ClientSecret } from './schemas.ts'

const SECRET_METHODS: readonly string[] = ['client_secret_basic', 'client_secret_post']

/**
 * Gives the client a new secret; the old one is refused from then on. Throws `not_found`,
 * `client_without_secret` and the `upstream_*` errors.
 */
export async function rotateClientSecret(
  deps: ClientChangeDeps,
  caller: Caller,
  id: string,
): Promise<ClientSecret> {
  const before = await readOwnClient(deps, id)
  const method = before.token_endpoint_auth_method
  if (!SECRET_METHODS.includes(method)) throw withoutSecret(method)
  return await audited(deps, caller, { targetKind: TARGET_KIND, targetId: id, before }, async () => {
    const client_secret = newClientSecret()
    const wire = await patchClient(deps.upstreams.oauthAdmin, id, { client_secret })
    if (wire === undefined) throw clientNotFound(id)
    return { result: { client_id: id, client_secret }, after: { ...toOAuthClient(wire), client_secret } }
  })
}

function withoutSecret(method: string): DomainError {
  return new DomainError('client_without_secret', 'The client has no secret to replace.', {
    detail: `token_endpoint_auth_method is ${method}`,
    hint: 'Only clients with client_secret_basic or client_secret_post have a secret.',
  })
}
