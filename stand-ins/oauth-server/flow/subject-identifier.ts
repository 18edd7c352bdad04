// The subject as a client sees it (pure). OpenID Connect Core 1.0 §8: a pairwise client gets a name of its own for each
// subject, so that clients cannot compare notes. Hydra hashes sector, subject and salt, in this order.

import { createHash } from 'node:crypto'
import type { Client } from '../clients/client-record.ts'
import { invalidRequest } from './oauth-errors.ts'

/**
 * The subject to put into tokens. `forced` is what the login asked for instead of the computed pairwise name; empty for
 * none. Throws `invalid_request` for a pairwise client whose sector cannot be told.
 */
export function subjectForClient(client: Client, subject: string, salt: string, forced = ''): string {
  if (client.subject_type !== 'pairwise') return subject
  if (forced) return forced
  return createHash('sha256').update(sectorOf(client)).update(subject).update(salt).digest('hex')
}

function sectorOf(client: Client): string {
  if (client.sector_identifier_uri) return client.sector_identifier_uri
  const [redirectUri, ...others] = client.redirect_uris ?? []
  if (redirectUri === undefined || others.length > 0)
    throw invalidRequest('A pairwise client needs a sector_identifier_uri or exactly one redirect URI.')
  return URL.parse(redirectUri)?.host ?? ''
}
