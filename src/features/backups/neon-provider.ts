// Snapshots and branches of Neon's project, in the words of ours.

import type { Upstream } from '../../clients/http.ts'
import {
  listNeonBranches,
  listNeonSnapshots,
  type NeonBranch,
  type NeonSnapshot,
} from '../../clients/neon.ts'
import type { BackupProvider } from './provider.ts'
import type { Backup, Branch } from './schemas.ts'

export function neonProvider(neon: Upstream, projectId: string): BackupProvider {
  return {
    name: 'neon',
    listBackups: async () => (await listNeonSnapshots(neon, projectId)).map(backupOf).sort(newestFirst),
    listBranches: async () =>
      (await listNeonBranches(neon, projectId))
        .map(branchOf)
        .sort(
          (a, b) =>
            Number(b.is_current) - Number(a.is_current) ||
            (b.created_at ?? '').localeCompare(a.created_at ?? ''),
        ),
  }
}

const newestFirst = (a: Backup, b: Backup) => b.started_at.localeCompare(a.started_at)

/** Neon shows a snapshot once it is there. */
function backupOf(snapshot: NeonSnapshot): Backup {
  const { id, name, created_at, lsn, source_branch_id, full_size, expires_at } = snapshot
  return {
    id,
    name,
    status: 'completed',
    started_at: instant(created_at),
    finished_at: instant(created_at),
    size_bytes: full_size ?? null,
    location: source_branch_id ?? '',
    lsn: lsn ?? null,
    verified_at: null,
    expires_at: expires_at ? instant(expires_at) : null,
    error: null,
  }
}

/** Neon may have states that are newer than this list. */
const STATES = new Map<string, Branch['state']>([
  ['init', 'creating'],
  ['resetting', 'resetting'],
  ['ready', 'ready'],
  ['archived', 'archived'],
])

function branchOf(branch: NeonBranch): Branch {
  const { id, name, parent_id, current_state, created_at, logical_size, expires_at } = branch
  return {
    id,
    name,
    parent_id: parent_id ?? null,
    state: STATES.get(current_state) ?? 'unknown',
    is_current: branch.default,
    created_at: instant(created_at),
    size_bytes: logical_size ?? null,
    expires_at: expires_at ? instant(expires_at) : null,
  }
}

/** Neon's times have offsets and fractions of their own. */
const instant = (text: string): string => new Date(text).toISOString()
