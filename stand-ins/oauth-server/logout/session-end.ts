// The end of a login session, and who hears of it: OpenID Connect Back-Channel Logout 1.0. Tokens live on.

import { randomUUID } from 'node:crypto'
import type { Client } from '../clients/client-record.ts'
import type { OAuthServerContext } from '../context.ts'
import type { ConsentStore } from '../sessions/consent-store.ts'
import type { LoginSessionStore } from '../sessions/login-session-store.ts'
import type { TokenIssuer } from '../tokens/token-issuer.ts'

const NOTIFICATION_TIMEOUT_MS = 30_000
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout'

export interface LogoutDeps extends Pick<OAuthServerContext, 'addresses' | 'clients' | 'fetch' | 'now'> {
  readonly loginSessions: LoginSessionStore
  readonly consents: ConsentStore
  readonly tokens: TokenIssuer
}

/**
 * Ends a remembered session and tells the clients that it signed in to. Sessions that are not remembered are let be.
 */
export async function endSession(deps: LogoutDeps, sessionId: string): Promise<void> {
  const session = await deps.loginSessions.findRemembered(sessionId)
  if (!session) return
  const clients = await clientsOfSession(deps, session.subject, sessionId)
  for (const client of clients.filter(({ backchannel_logout_uri }) => backchannel_logout_uri !== '')) {
    const token = await logoutToken(deps, client, sessionId)
    // Nobody waits for a client that does not answer.
    void notify(deps, client, token)
  }
  await deps.loginSessions.end(sessionId)
}

/** The clients that a session has given consent to; none once the session has ended. */
export async function clientsOfSession(
  deps: LogoutDeps,
  subject: string,
  sessionId: string,
): Promise<Client[]> {
  const ids = await deps.consents.clientsOfSession(subject, sessionId)
  const clients = await Promise.all(ids.map(id => deps.clients.find(id)))
  return clients.filter(client => client !== undefined)
}

/** Always with `sid` and never with `sub`, which could be another one for each client. */
function logoutToken(
  { addresses, now, tokens }: LogoutDeps,
  client: Client,
  sessionId: string,
): Promise<string> {
  return tokens.signConnectClaims({
    iss: addresses.public,
    aud: [client.client_id],
    iat: Math.floor(now() / 1000),
    jti: randomUUID(),
    events: { [LOGOUT_EVENT]: {} },
    sid: sessionId,
  })
}

async function notify(deps: LogoutDeps, client: Client, token: string): Promise<void> {
  try {
    const response = await deps.fetch(client.backchannel_logout_uri, {
      method: 'POST',
      body: new URLSearchParams({ logout_token: token }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      redirect: 'manual',
      signal: AbortSignal.timeout(NOTIFICATION_TIMEOUT_MS),
    })
    await response.body?.cancel()
    if (response.status !== 200 && response.status !== 204) throw new Error(`status ${response.status}`)
  } catch (err) {
    console.error(`the client ${client.client_id} was not told of a logout: ${String(err)}`)
  }
}
