// The audit log as a lock: a change has its pending row before it begins, so whoever is about to make another one can
// see it. For changes that must not be made side by side, and that another server makes, where no transaction reaches.

import type { AuditDeps } from './audited.ts'

/**
 * Longer than any change takes: the outside call in it is given up before. A row that is left pending blocks no
 * longer.
 */
const CHANGE_SECONDS_MAX = 60

const PENDING_BESIDE = `
  select true as found from quoin.audit_logs
  where action = $1 and outcome = 'pending' and starts_with(target_id, $2) and target_id <> $3
    and created_at > clock_timestamp() - make_interval(secs => $4::integer)
  limit 1`

/**
 * Whether a change of this kind is under way at another target whose id begins with `within`. To be asked inside
 * `audited`: of two at once at least one then sees the other, and possibly both do. It cannot see a change that is not
 * made through Quoin. Nor can it see one that the other server makes more than a minute after it was asked for.
 */
export async function isAnotherUnderWay(
  { platform }: AuditDeps,
  { action, targetId, within }: { action: string; targetId: string; within: string },
): Promise<boolean> {
  const params = [action, within, targetId, String(CHANGE_SECONDS_MAX)]
  return (await platform.query(PENDING_BESIDE, params, 'repeatable')).length > 0
}
