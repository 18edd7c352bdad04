// What becomes of a login request: pure, so that every case stands in one table of tests (Spec, Login bridge and
// consent; OpenID Connect Core section 3.1.2.1 for prompt and max_age).

import type { Session, Whoami } from '../../../clients/identity.ts'
import type { SignInWishes } from './request-url.ts'

export interface LoginCase {
  whoami: Whoami
  wishes: SignInWishes
  /** The subject that the server remembers; empty when it remembers nobody. */
  rememberedSubject: string
  /** How often this flow was started over because the server remembered somebody else. */
  startedOver: number
  /** How often this flow was sent to sign in, and when first; undefined: never. */
  sent: { bounces: number; sentAtMs: number } | undefined
  nowMs: number
}

export type LoginDecision =
  | { step: 'accept'; session: Session }
  /** To the identity provider's sign-in page; `isRefresh`: again, although somebody is signed in. */
  | { step: 'sign_in'; isRefresh: boolean }
  | { step: 'second_factor'; redirectTo: string | undefined }
  /** The server has to forget whom it remembers, and to ask again. */
  | { step: 'start_over'; session: Session }
  /** No page may be shown, and without one nobody can sign in. */
  | { step: 'refuse' }
  /** The browser comes back again and again: without a session, or with one that the server will not take. */
  | { step: 'stop'; reason: 'no_session' | 'somebody_else' }

/** After so many trips to the sign-in page without a session, or so many starts, it is a loop. */
const ROUNDS_MAX = 2

/**
 * Accepts the session that is there, if it is as fresh as the application wants it; else sends the browser to sign in.
 * What the server remembers (`skip`) never stands in for a session: one that was ended or locked at the identity
 * provider would sign in for weeks.
 */
export function decideLogin(login: LoginCase): LoginDecision {
  const { whoami, wishes, rememberedSubject, sent } = login
  if (whoami.outcome === 'session' && isFreshEnough(whoami.session, wishes, sent, login.nowMs)) {
    const isSomebodyElse = rememberedSubject !== '' && rememberedSubject !== whoami.session.identity.id
    if (!isSomebodyElse) return { step: 'accept', session: whoami.session }
    // What an application does silently must not turn one person into another.
    if (wishes.isSilent) return { step: 'refuse' }
    return login.startedOver < ROUNDS_MAX
      ? { step: 'start_over', session: whoami.session }
      : { step: 'stop', reason: 'somebody_else' }
  }
  if (wishes.isSilent) return { step: 'refuse' }
  if (sent !== undefined && sent.bounces >= ROUNDS_MAX) return { step: 'stop', reason: 'no_session' }
  if (whoami.outcome === 'second_factor') return { step: 'second_factor', redirectTo: whoami.redirectTo }
  return { step: 'sign_in', isRefresh: whoami.outcome === 'session' }
}

/** A sign-in since this flow sent the browser away always counts: `max_age=0` could be met by nothing else. */
function isFreshEnough(
  session: Session,
  { isFresh, maxAgeSeconds }: SignInWishes,
  sent: LoginCase['sent'],
  nowMs: number,
): boolean {
  if (!isFresh && maxAgeSeconds === undefined) return true
  const signedInAtMs = Date.parse(session.authenticated_at ?? '')
  if (Number.isNaN(signedInAtMs)) return false
  if (sent !== undefined && sent.sentAtMs > 0 && signedInAtMs >= sent.sentAtMs) return true
  if (isFresh || maxAgeSeconds === undefined) return false
  return signedInAtMs + maxAgeSeconds * 1_000 >= nowMs
}
