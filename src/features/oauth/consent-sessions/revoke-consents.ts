// Takes a person's consents back, so that they are asked again at the next flow (Spec, rule 4 of the
// authorization-server administration).

import { deleteConsents, type GivenConsent } from '../../../clients/oauth-server/sessions.ts'
import { type AuditDeps, audited } from '../../audit/audited.ts'
import type { Caller } from '../../audit/caller.ts'
import { readOwnClient } from '../clients/own-client.ts'
import type { EndUserTokens } from '../end-user/opaque-token.ts'
import type { ConsentQuery, ConsentRevocation } from './schemas.ts'
import { listSubjectConsents, type SubjectDeps } from './subject-consents.ts'

export type RevokeConsentsDeps = SubjectDeps & AuditDeps & { endUserTokens: EndUserTokens }

/**
 * Revokes the subject's consents, at one client or at all of ours, with the tokens that came of them. Throws
 * `not_found` for a subject that is nobody and for a client that is not ours.
 */
export async function revokeConsents(
  deps: RevokeConsentsDeps,
  subject: string,
  { client }: ConsentQuery,
  caller: Caller,
): Promise<ConsentRevocation> {
  const all = await listSubjectConsents(deps, subject)
  if (client !== undefined) await readOwnClient(deps, client)
  const consents = client === undefined ? all : all.filter(consent => clientIdOf(consent) === client)
  const change = {
    targetKind: 'subject',
    targetId: subject,
    before: consents.map(consent => ({ client_id: clientIdOf(consent), scopes: consent.grant_scope })),
  }
  return audited(deps, caller, change, async () => {
    const clients = [...new Set(consents.map(clientIdOf))]
    const deletion =
      client === undefined
        ? deleteConsentsAtOwnClients(deps, subject, clients)
        : deleteConsents(deps.upstreams.oauthAdmin, { subject, client })
    await deletion.finally(deps.endUserTokens.forget)
    return { result: { subject, revoked: consents.length, clients } }
  })
}

/** All at once, unless the OAuth2 server has clients of others too: then client by client, `clients` being ours. */
export async function deleteConsentsAtOwnClients(
  { config, upstreams }: RevokeConsentsDeps,
  subject: string,
  clients: readonly string[],
): Promise<void> {
  if (config.oauthClientOwner === undefined) {
    await deleteConsents(upstreams.oauthAdmin, { subject, all: 'true' })
    return
  }
  for (const client of clients) await deleteConsents(upstreams.oauthAdmin, { subject, client })
}

/** The client that a consent was given to. */
export function clientIdOf(consent: GivenConsent): string {
  return consent.consent_request.client.client_id
}
