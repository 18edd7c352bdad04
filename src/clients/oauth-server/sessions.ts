// Consents and login sessions of a subject at the OAuth2 server (contracts of the Hydra wire, section 2.7). What an
// application put into a consent's session stops here: nobody else is to read it.

import * as z from 'zod'
import { callUpstream, invalidAnswer, type Upstream, type UpstreamAnswer, unexpected } from '../http.ts'
import { nextPageToken } from '../link-header.ts'
import { type ListPage, readWholeList } from '../whole-list.ts'
import { Text, TextList } from './wire-text.ts'

const ConsentClient = z.object({
  client_id: z.string().min(1),
  client_name: Text,
  owner: Text,
  client_uri: Text,
  logo_uri: Text,
  policy_uri: Text,
  tos_uri: Text,
  backchannel_logout_uri: Text,
  frontchannel_logout_uri: Text,
})

/** A consent that somebody gave; parsing leaves `session` and `context` out. */
const GivenConsent = z.object({
  /** Empty at servers before v25.4. */
  consent_request_id: Text,
  grant_scope: TextList,
  grant_access_token_audience: TextList,
  remember: z.boolean().default(false),
  /** Seconds; 0: for good. */
  remember_for: z
    .number()
    .nullish()
    .transform(seconds => seconds ?? 0),
  handled_at: Text,
  consent_request: z.object({ client: ConsentClient, login_session_id: Text }),
})
export type GivenConsent = z.infer<typeof GivenConsent>

/** The server cuts a larger page to this without saying so. */
const CONSENTS_PER_PAGE_MAX = 500
/** Of one person. */
export const CONSENTS_MAX = 5_000

/**
 * A subject's consents, in no order; none for a subject that nobody is. Also those that are not to be remembered, but
 * none that was skipped. `loginSessionId`: only those given since that sign-in. Undefined for more than `CONSENTS_MAX`.
 */
export async function listConsents(
  oauthAdmin: Upstream,
  subject: string,
  loginSessionId?: string,
): Promise<GivenConsent[] | undefined> {
  const readPage = async ({ size, token }: { size: number; token: string | undefined }) => {
    const answer = await callUpstream(oauthAdmin, {
      method: 'GET',
      path: '/admin/oauth2/auth/sessions/consent',
      query: { subject, login_session_id: loginSessionId, page_size: String(size), page_token: token },
    })
    return processConsentPage(oauthAdmin, answer)
  }
  return readWholeList(readPage, { pageSizeMax: CONSENTS_PER_PAGE_MAX, itemsMax: CONSENTS_MAX })
}

/** What an answer to a list means; an empty list may be `null`. */
export function processConsentPage(oauthAdmin: Upstream, answer: UpstreamAnswer): ListPage<GivenConsent> {
  if (answer.status !== 200) throw unexpected(oauthAdmin, answer)
  const parsed = z.array(GivenConsent).nullable().safeParse(answer.json)
  if (!parsed.success) throw invalidAnswer(oauthAdmin, answer)
  const { length } = answer.text
  return { items: parsed.data ?? [], nextPageToken: nextPageToken(answer.headers), length }
}

/** Which consents to delete. The server knows these three ways and no other. */
export type ConsentChoice =
  | { subject: string; client: string }
  | { subject: string; all: 'true' }
  | { consent_request_id: string }

/** Deletes consents with the access and refresh tokens that came of them. No difference when there are none. */
export async function deleteConsents(oauthAdmin: Upstream, choice: ConsentChoice): Promise<void> {
  await deleteSessions(oauthAdmin, 'consent', choice)
}

/**
 * Ends login sessions: the one with this `sid`, of which the server notifies the applications that asked for it; or
 * all of a subject, of which it notifies nobody. Tokens live on.
 */
export async function deleteLoginSessions(
  oauthAdmin: Upstream,
  choice: { sid: string } | { subject: string },
): Promise<void> {
  await deleteSessions(oauthAdmin, 'login', choice)
}

async function deleteSessions(
  oauthAdmin: Upstream,
  kind: 'consent' | 'login',
  query: Readonly<Record<string, string>>,
): Promise<void> {
  const path = `/admin/oauth2/auth/sessions/${kind}`
  const answer = await callUpstream(oauthAdmin, { method: 'DELETE', path, query })
  if (answer.status !== 204) throw unexpected(oauthAdmin, answer)
}
