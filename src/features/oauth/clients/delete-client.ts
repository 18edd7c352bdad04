// Deletes a client, and with it at the OAuth2 server its tokens, codes and consents.

import { deleteClient } from '../../../clients/oauth-server/clients.ts'
import { audited } from '../../audit/audited.ts'
import type { Caller } from '../../audit/caller.ts'
import type { EndUserTokens } from '../end-user/opaque-token.ts'
import { type ClientChangeDeps, TARGET_KIND } from './client-change.ts'
import { clientNotFound, readOwnClient } from './own-client.ts'

/** Deletes a client of ours. Throws `not_found` and the `upstream_*` errors. */
export async function deleteOAuthClient(
  deps: ClientChangeDeps & { endUserTokens: EndUserTokens },
  caller: Caller,
  id: string,
): Promise<void> {
  const before = await readOwnClient(deps, id)
  await audited(deps, caller, { targetKind: TARGET_KIND, targetId: id, before }, async () => {
    const isDeleted = await deleteClient(deps.upstreams.oauthAdmin, id).finally(deps.endUserTokens.forget)
    if (!isDeleted) throw clientNotFound(id)
    return { result: undefined }
  })
}
