// The credential checks of the dashboard layer: where the request comes from, how often its address calls, and whose
// session it carries.

import { DomainError } from '../../errors.ts'
import type { AddressGate } from '../../features/api-keys/limit/address-gate.ts'
import type { SessionGate } from '../../features/sessions/session-gate.ts'
import type { Arrival } from './arrival.ts'
import { ownOrigins, refuseCrossSite } from './origin.ts'
import type { SessionPrincipal } from './principal.ts'

export interface SessionDeps {
  sessionGate: SessionGate
  addressGate: AddressGate
  config: { readonly baseUrl: string; readonly dashboardUrl: string | undefined }
}

/**
 * Admits anybody who comes from no foreign page, counted against the address's limit. Throws `cross_site_request`
 * or `rate_limited`.
 */
export async function admitVisitor(
  { addressGate, config }: Omit<SessionDeps, 'sessionGate'>,
  { request, address, countedAs }: Arrival,
): Promise<null> {
  refuseCrossSite(request, ownOrigins(config.baseUrl, config.dashboardUrl))
  await addressGate.count(countedAs, address)
  return null
}

/** Admits a visitor with a session. Throws what `admitVisitor` does, and `session_required` and its kin. */
export async function admitSession(deps: SessionDeps, arrival: Arrival): Promise<SessionPrincipal> {
  await admitVisitor(deps, arrival)
  const { session, isAdmin } = await deps.sessionGate.enter(arrival.request.headers.get('cookie'))
  return { kind: 'session', session, isAdmin }
}

/** Throws where a session that was let in has ended since, or is no administrator's any more. Counts nothing. */
export async function confirmSession(
  { sessionGate }: Pick<SessionDeps, 'sessionGate'>,
  { request }: Arrival,
  wasAdmin: boolean,
): Promise<void> {
  const { isAdmin } = await sessionGate.enter(request.headers.get('cookie'))
  if (wasAdmin && !isAdmin) throw adminRequired()
}

/** Admits an administrator's session. Throws what `admitSession` does, and `admin_required`. */
export async function admitAdministrator(deps: SessionDeps, arrival: Arrival): Promise<SessionPrincipal> {
  const principal = await admitSession(deps, arrival)
  if (principal.isAdmin) return principal
  throw adminRequired()
}

function adminRequired(): DomainError {
  return new DomainError('admin_required', 'This endpoint is for administrators.', {
    hint: 'Sign in as an identity whose metadata_public.role is "admin", or whose id is in ADMIN_IDENTITY_IDS.',
  })
}
