import { State } from '../../parts/state.tsx'
import type { ApiKey } from './queries.ts'

export function KeyState({ of: { revoked_at: revokedAt, expires_at: expiresAt } }: { of: ApiKey }) {
  if (revokedAt !== null) return <State tone="bad">Revoked</State>
  if (expiresAt !== null && new Date(expiresAt) < new Date()) return <State tone="attention">Expired</State>
  return <State tone="good">Active</State>
}
