// The credential check of the dashboard layer: where the request comes from, how often its address calls, and whose
// session it carries. Runs before validation.

import { DomainError } from '../errors.ts'
import type { AddressGate } from '../features/api-keys/limit/address-gate.ts'
import type { SessionGate } from '../features/sessions/session-gate.ts'
import type { SessionPrincipal } from './auth.ts'

export interface SessionDeps {
  sessionGate: SessionGate
  addressGate: AddressGate
}

/** Counts the request against its address's allowance. Throws `rate_limited`. */
export async function admitAddress(
  { addressGate }: Pick<SessionDeps, 'addressGate'>,
  kind: 'api' | 'consent',
  address: string | null,
): Promise<void> {
  const { limit, retryAfterSeconds } = await addressGate.admit(kind, address)
  if (retryAfterSeconds === undefined) return
  throw new DomainError(
    'rate_limited',
    `This address has made ${limit} such requests within the last 60 seconds.`,
    {
      detail: `limit ${limit} per 60 s`,
      hint: `Wait ${retryAfterSeconds} s.`,
      retryAfterSeconds,
    },
  )
}

/** The session of the request's cookies. Throws `session_required` and its kin, or `admin_required`. */
export async function admitSession(
  { sessionGate }: Pick<SessionDeps, 'sessionGate'>,
  level: 'session' | 'admin',
  headers: Headers,
): Promise<SessionPrincipal> {
  const { session, isAdmin } = await sessionGate.enter(headers.get('cookie'))
  if (level === 'admin' && !isAdmin) {
    throw new DomainError('admin_required', 'This endpoint is for administrators.', {
      hint: 'Sign in as an identity whose metadata_public.role is "admin", or whose id is in ADMIN_IDENTITY_IDS.',
    })
  }
  return { kind: 'session', session, isAdmin }
}
