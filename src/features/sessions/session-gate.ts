// Who is signed in to the dashboard layer. The caller's cookies are put to the identity provider. Its good answer is
// kept for a few seconds, so that a page that makes ten calls asks once.

import type { Identity, Session, Whoami } from '../../clients/identity.ts'
import { DomainError } from '../../errors.ts'
import { type Answer, FreshAnswers } from '../../lib/fresh-answers.ts'
import { sha256Hex } from '../../lib/hash.ts'

/** How long a good answer counts: a revoked session is refused at most so much later. */
const ANSWER_FRESH_MS = 10_000
const SESSIONS_REMEMBERED_MAX = 10_000
/** A browser sends at most about this many bytes of cookies to one host; more is no browser. */
const COOKIES_LENGTH_MAX = 16_384

/** In place of a role: whoever can sign in at the identity provider, a stranger who registered included. */
export const EVERY_IDENTITY = '*'

/** A session that may use `/api`. */
export interface DashboardSession {
  session: Session
  /** Administrators are named by their public role or by the deployment (`ADMIN_IDENTITY_IDS`). */
  isAdmin: boolean
}

export interface SessionRules {
  whoami: (cookieHeader: string) => Promise<Whoami>
  adminIdentityIds: readonly string[]
  /** Public roles that may use `/api`; `EVERY_IDENTITY` among them: whoever can sign in. */
  dashboardRoles: readonly string[]
  now: () => Date
}

/** Lets sessions in. One isolate's memory; only good answers are kept. */
export class SessionGate {
  readonly #rules: SessionRules
  /** By the hash of the cookies: the cookies themselves are not kept. */
  readonly #answers: FreshAnswers<Session>

  constructor(rules: SessionRules) {
    this.#rules = rules
    const { now } = rules
    this.#answers = new FreshAnswers({ freshMs: ANSWER_FRESH_MS, sizeMax: SESSIONS_REMEMBERED_MAX, now })
  }

  /**
   * The session of these cookies. Throws `session_required`, `second_factor_required`, `dashboard_role_required`, and
   * the `upstream_*` errors when the identity provider cannot be asked.
   */
  async enter(cookieHeader: string | null): Promise<DashboardSession> {
    if (cookieHeader === null || cookieHeader === '') throw sessionRequired('No session cookie was sent.')
    if (cookieHeader.length > COOKIES_LENGTH_MAX) throw sessionRequired('The cookies are too long.')
    const session = await this.#answers.get(await sha256Hex(cookieHeader), () => this.#ask(cookieHeader))
    const { identity } = session
    const role = identity.metadata_public['role']
    const isAdmin = role === 'admin' || this.#rules.adminIdentityIds.includes(identity.id)
    if (!isAdmin && !mayUseDashboard(identity, this.#rules.dashboardRoles)) {
      throw dashboardRoleRequired(identity, this.#rules.dashboardRoles)
    }
    return { session, isAdmin }
  }

  async #ask(cookieHeader: string): Promise<Answer<Session>> {
    const answer = await this.#rules.whoami(cookieHeader)
    switch (answer.outcome) {
      case 'none':
        throw sessionRequired('The session is not valid: it has ended, or the cookie is no session.')
      case 'second_factor':
        throw new DomainError('second_factor_required', 'The session needs a second factor.', {
          detail: answer.redirectTo,
          hint: 'Sign in with the second factor at the identity provider, then come back.',
        })
      case 'session':
        return { value: answer.session, endsMs: endOf(answer.session) }
    }
  }
}

function mayUseDashboard(identity: Identity, roles: readonly string[]): boolean {
  const role = identity.metadata_public['role']
  return roles.includes(EVERY_IDENTITY) || (typeof role === 'string' && roles.includes(role))
}

function dashboardRoleRequired({ metadata_public }: Identity, roles: readonly string[]): DomainError {
  const has = 'role' in metadata_public ? 'another metadata_public.role' : 'no metadata_public.role'
  return new DomainError('dashboard_role_required', 'This identity may not use the dashboard layer.', {
    detail: `It needs one of these roles: ${roles.join(', ')}. The identity has ${has}.`,
    hint: 'Ask an administrator to set metadata_public.role of the identity, in the identity provider.',
  })
}

/** The session's own end, where it has one that can be read. */
function endOf({ expires_at }: Session): number | undefined {
  const endsMs = expires_at === undefined ? Number.NaN : Date.parse(expires_at)
  return Number.isNaN(endsMs) ? undefined : endsMs
}

function sessionRequired(message: string): DomainError {
  return new DomainError('session_required', message, {
    hint: 'Sign in at the identity provider and send its session cookie along. API keys are for paths under /v1.',
  })
}
