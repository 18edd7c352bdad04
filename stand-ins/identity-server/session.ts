// What a session is, and how the wire shows it. Pure: the rows are in session-store.ts.

import { type Identity, publicIdentity } from './identity.ts'

export interface AuthenticationMethod {
  readonly method: string
  readonly aal: string
  readonly completed_at: string
}

export interface Device {
  readonly id: string
  /** With the port, as the server saw it. */
  readonly ip_address: string
  readonly user_agent: string
  readonly location: string
}

export interface Session {
  readonly id: string
  readonly identity_id: string
  /** False once ended by whoever may; the row stays. */
  readonly active: boolean
  readonly aal: string
  readonly authentication_methods: readonly AuthenticationMethod[]
  readonly devices: readonly Device[]
  readonly issued_at: Date
  readonly authenticated_at: Date
  readonly expires_at: Date
}

/** Whether it counts: not ended, not over, and its person (where known) is active. */
export function isActive(session: Session, identity: Identity | undefined): boolean {
  return (
    session.active &&
    session.expires_at > new Date() &&
    (identity === undefined || identity.state === 'active')
  )
}

interface SessionView {
  readonly identity?: { readonly of: Identity; readonly schemaUrl: string } | undefined
  readonly hasDevices: boolean
}

/** As the wire shows it: without the identity it says `null`, and takes no notice of an inactive person. */
export function sessionView(
  session: Session,
  { identity, hasDevices }: SessionView,
): Record<string, unknown> {
  return {
    id: session.id,
    active: isActive(session, identity?.of),
    expires_at: session.expires_at,
    authenticated_at: session.authenticated_at,
    authenticator_assurance_level: session.aal,
    authentication_methods: session.authentication_methods,
    issued_at: session.issued_at,
    identity: identity === undefined ? null : publicIdentity(identity.of, identity.schemaUrl),
    devices: hasDevices ? session.devices : [],
  }
}
