import type { Schema } from '../../api/schema.ts'
import { State } from '../state.tsx'

/** `project`: the key's, where it is known by now. */
export function KeyState({
  of: { revoked_at: revokedAt, expires_at: expiresAt },
  project,
}: {
  of: Schema<'ApiKey'>
  project: Pick<Schema<'Project'>, 'status'> | undefined
}) {
  if (revokedAt !== null) return <State tone="bad">Revoked</State>
  if (expiresAt !== null && new Date(expiresAt) < new Date()) return <State tone="attention">Expired</State>
  if (project?.status === 'paused') return <State tone="attention">Project paused</State>
  return <State tone="good">Active</State>
}
