import { State } from '../../parts/state.tsx'
import type { ApiKey } from './queries.ts'

/** `svc_pk_…x9Qd`: all that is known of a key once it was shown. */
export function shownKey({ prefix, last_four: lastFour }: ApiKey): string {
  return `${prefix}…${lastFour}`
}

export function KeyState({ of: { revoked_at: revokedAt, expires_at: expiresAt } }: { of: ApiKey }) {
  if (revokedAt !== null) return <State tone="bad">Revoked</State>
  if (expiresAt !== null && new Date(expiresAt) < new Date()) return <State tone="attention">Expired</State>
  return <State tone="good">Active</State>
}
