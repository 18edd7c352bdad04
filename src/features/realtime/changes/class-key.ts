// Which callers see the same. Pure.

import type { DatabaseRole } from '../../../db/database.ts'
import type { Subscription } from './subscription.ts'

/** Claims that differ with each token of one person. */
const PASSING_CLAIMS: readonly string[] = ['exp', 'iat', 'nbf', 'jti', 'auth_time']

/**
 * Equal for callers of the same role and the same claims. Claims that differ with each token count only where
 * `claimsRead` names them. A user's own `role` never counts: the key's overwrites it.
 */
export function classKey(
  role: DatabaseRole,
  claims: Readonly<Record<string, unknown>>,
  claimsRead: readonly string[],
): string {
  const counts = (name: string) =>
    name !== 'role' && (!PASSING_CLAIMS.includes(name) || claimsRead.includes(name))
  const names = Object.keys(claims).filter(counts).sort()
  return `${role} ${canonicalJson(names.map(name => [name, claims[name]]))}`
}

/** Equal for channels that get the same events, as `claimsRead` of all their tables together says. */
export function groupKey(
  role: DatabaseRole,
  claims: Readonly<Record<string, unknown>>,
  claimsRead: readonly string[],
  subscriptions: readonly Subscription[],
): string {
  const asked = subscriptions.map(({ id, event, tableId, filter, columns }) => [
    id,
    event,
    tableId,
    filter === null ? null : filter.key,
    columns,
  ])
  return `${classKey(role, claims, claimsRead)} ${JSON.stringify(asked)}`
}

/** JSON text with the keys of every object in one order. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`
}
