// The admin API of consents and login sessions: who gave what to whom, and the end of it.

import type { ServiceApp } from '../../service/listen.ts'
import { type ClientAnswer, clientAnswer } from '../clients/client-record.ts'
import type { OAuthServerContext, RequestContext } from '../context.ts'
import { invalidRequest } from '../flow/oauth-errors.ts'
import { consentView } from '../flow/step-views.ts'
import { endSession, type LogoutDeps } from '../logout/session-end.ts'
import { jsonAnswer, noContent } from '../wire/answers.ts'
import type { ConsentSelection, ListedConsent } from './consent-store.ts'

const CONSENTS = '/admin/oauth2/auth/sessions/consent'
const LOGINS = '/admin/oauth2/auth/sessions/login'
const LIST = 'consent-sessions'

type SessionDeps = OAuthServerContext & LogoutDeps

export function addSessionRoutes(app: ServiceApp, deps: SessionDeps): void {
  app.get(CONSENTS, c => listConsents(deps, c))
  app.delete(CONSENTS, async c => {
    await deps.consents.revoke(selectionOf(new URL(c.req.url).searchParams))
    return noContent(c)
  })
  app.delete(LOGINS, async c => {
    const [sid, subject] = [c.req.query('sid'), c.req.query('subject')]
    if (sid) await endSession(deps, sid)
    else if (subject) await deps.loginSessions.endAllOf(subject)
    else throw invalidRequest("Either 'subject' or 'sid' query parameters need to be defined.")
    return noContent(c)
  })
}

async function listConsents(deps: SessionDeps, c: RequestContext): Promise<Response> {
  const url = new URL(c.req.url)
  const subject = url.searchParams.get('subject')
  if (!subject) throw invalidRequest("Query parameter 'subject' is not defined but should have been.")
  const page = deps.pageTokens.read(LIST, url.searchParams)
  const loginSessionId = url.searchParams.get('login_session_id')
  const rows = await deps.consents.list(subject, {
    afterId: page.after,
    limit: page.size + 1,
    ...(loginSessionId ? { loginSessionId } : {}),
  })
  if (rows.length === 0) return jsonAnswer(c, [])
  const shown = rows.slice(0, page.size)
  const next = rows.length > page.size ? shown.at(-1)?.consentRequestId : undefined
  const clients = await clientsOf(deps, shown)
  const views = shown.flatMap(row => {
    const client = clients.get(row.clientId)
    return client ? [listedView(row, client)] : []
  })
  return jsonAnswer(c, views, 200, { link: deps.pageTokens.link(LIST, url, page, next) })
}

async function clientsOf(
  deps: SessionDeps,
  rows: readonly ListedConsent[],
): Promise<Map<string, ClientAnswer>> {
  const ids = [...new Set(rows.map(row => row.clientId))]
  const clients = await Promise.all(ids.map(id => deps.clients.find(id)))
  return new Map(clients.flatMap(client => (client ? [[client.client_id, clientAnswer(client)]] : [])))
}

function listedView(row: ListedConsent, client: ClientAnswer) {
  const { consentRequestId, step, accepted } = row
  return {
    consent_request_id: consentRequestId,
    grant_scope: accepted.grantedScope,
    grant_access_token_audience: accepted.grantedAudience,
    session: { access_token: accepted.accessTokenClaims, id_token: accepted.idTokenClaims },
    remember: accepted.remember,
    remember_for: accepted.rememberFor,
    handled_at: accepted.handledAt,
    context: accepted.context,
    // A context that came with the consent has taken the login's place.
    consent_request: {
      ...consentView(step, '', client),
      login_session_id: row.loginSessionId,
      context: accepted.context,
    },
  }
}

/** Only these three combinations are clear enough to delete by; a subject alone is not. */
function selectionOf(query: URLSearchParams): ConsentSelection {
  const [subject, clientId] = [query.get('subject'), query.get('client')]
  const consentRequestId = query.get('consent_request_id')
  const isAll = query.get('all') === 'true'
  if (consentRequestId && !subject && !clientId) return { consentRequestId }
  if (!consentRequestId && subject && clientId && !isAll) return { subject, clientId }
  if (!consentRequestId && subject && !clientId && isAll) return { subject }
  throw invalidRequest('Invalid combination of query parameters.')
}
