// Ending tokens at the OAuth2 server (contracts of the Hydra wire, section 2.8). It has no call that revokes any one
// token: which of these fits a token is for features to say.

import { DomainError } from '../../errors.ts'
import { callUpstream, type Upstream, type UpstreamAnswer, unexpected } from '../http.ts'
import { refusalOf } from './refusal.ts'

/**
 * Revokes a public client's token, and everything of its grant, at the public endpoint (RFC 7009), which asks such
 * clients for no secret. False when the server refuses the client there. It says 200 for tokens that it does not know.
 */
export async function revokePublicToken(
  oauthPublic: Upstream,
  { clientId, token }: { clientId: string; token: string },
): Promise<boolean> {
  const answer = await callUpstream(oauthPublic, {
    method: 'POST',
    path: '/oauth2/revoke',
    form: { client_id: clientId, token },
  })
  return processRevocation(oauthPublic, answer)
}

/** What an answer to `revokePublicToken` means. A refusal counts only in the server's own words. */
export function processRevocation(oauthPublic: Upstream, answer: UpstreamAnswer): boolean {
  if (answer.status === 200) return true
  if ((answer.status === 400 || answer.status === 401) && refusalOf(answer) !== undefined) return false
  throw unexpected(oauthPublic, answer)
}

/** Deletes every access token of a client; its refresh tokens stay. */
export async function deleteAccessTokensOfClient(oauthAdmin: Upstream, clientId: string): Promise<void> {
  const answer = await callUpstream(oauthAdmin, {
    method: 'DELETE',
    path: '/admin/oauth2/tokens',
    query: { client_id: clientId },
  })
  if (answer.status !== 204) throw unexpected(oauthAdmin, answer)
}

/** Flushing may go through millions of rows. */
const FLUSH_TIMEOUT_MS = 25_000

/** Has the server delete tokens that ended before `notAfter`. Throws `not_supported`: only servers before 2.0 can. */
export async function flushTokens(oauthAdmin: Upstream, notAfter: Date): Promise<void> {
  const answer = await callUpstream(oauthAdmin, {
    method: 'POST',
    path: '/oauth2/flush',
    json: { notAfter: notAfter.toISOString() },
    timeoutMs: FLUSH_TIMEOUT_MS,
  })
  processFlush(oauthAdmin, answer)
}

/**
 * What an answer to `flushTokens` means. The server says 204 and, where it has no such path, a line of plain text; a
 * page is another server's.
 */
export function processFlush(oauthAdmin: Upstream, answer: UpstreamAnswer): void {
  if (answer.status === 204) return
  const isUnknownPath = answer.status === 404 || answer.status === 405
  if (!isUnknownPath || answer.text.trimStart().startsWith('<')) throw unexpected(oauthAdmin, answer)
  throw new DomainError('not_supported', 'This OAuth2 server has no endpoint that deletes ended tokens.', {
    detail: 'oauth_server',
    hint: "Set OAUTH_DATABASE_URL to the connection string of the OAuth2 server's own database.",
  })
}
