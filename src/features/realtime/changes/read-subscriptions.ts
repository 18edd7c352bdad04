// The entries of a join's `postgres_changes` as subscriptions: which tables they mean, which columns, which filter.
// What is refused is refused here, and not when the first row changes.

import { callerClaims } from '../../../db/caller-session.ts'
import { DomainError, type ErrorCode } from '../../../errors.ts'
import { type AskSightDeps, askSight } from '../sight/ask-sight.ts'
import type { Seen, SightCaller } from '../sight/sight-contract.ts'
import { type FindTablesDeps, type FollowedTable, findTables } from '../watching/find-tables.ts'
import type { ChangesAsked } from '../wire/join-request.ts'
import { parseColumns } from './parse-columns.ts'
import { parseFilter } from './parse-filter.ts'
import type { Subscription } from './subscription.ts'

/** Of one channel: an entry for all tables of a schema has one for each. */
const SUBSCRIPTIONS_MAX = 500
const TRY_TIMEOUT_MS = 1_000

/**
 * Reads the entries for this caller. Throws `DomainError` for a table that is none or not to be seen, for
 * columns and filters that cannot be, and `PostgresError` for a value that is none of its column's type.
 */
export async function readSubscriptions(
  deps: FindTablesDeps & AskSightDeps,
  caller: SightCaller,
  asked: readonly ChangesAsked[],
): Promise<Subscription[]> {
  const found = new Map<string, Promise<readonly FollowedTable[]>>()
  const tablesOf = ({ schema, table }: ChangesAsked) => {
    const key = JSON.stringify([schema, table])
    const finding = found.get(key) ?? findTables(deps, caller.role, { schema, table })
    found.set(key, finding)
    return finding
  }
  const subscriptions: Subscription[] = []
  for (const [index, entry] of asked.entries()) {
    for (const table of await tablesOf(entry)) {
      subscriptions.push({
        id: index + 1,
        event: entry.event,
        tableId: table.tableId,
        filter:
          entry.filter === undefined ? null : parseFilter(table, table.typed, caller.role, entry.filter),
        columns: entry.select === undefined ? null : parseColumns(table, caller.role, entry.select),
      })
    }
  }
  if (subscriptions.length > SUBSCRIPTIONS_MAX) throw tooMany(subscriptions.length)
  await trySight(deps, caller, subscriptions)
  return subscriptions
}

/** Postgres reads policies and filters once, with no row: what it cannot read then it could not for any change. */
async function trySight(
  deps: AskSightDeps,
  caller: SightCaller,
  subscriptions: readonly Subscription[],
): Promise<void> {
  if (subscriptions.length === 0) return
  const { role, share } = caller
  const claims = callerClaims(role, caller.claims)
  const tableIds = [...new Set(subscriptions.map(({ tableId }) => tableId))]
  const tables = tableIds.map(tableId => ({ tableId, images: [] }))
  const policies = tableIds.map(tableId => ({ tableId, role, claims, filter: null }))
  const filters = subscriptions.flatMap(({ tableId, filter }) =>
    filter === null ? [] : [{ tableId, role, claims, filter: { sql: filter.sql, params: filter.params } }],
  )
  const asked = [...policies, ...filters]
  const { seen } = await askSight(deps, { tables, asked }, { timeoutMs: TRY_TIMEOUT_MS, share })
  refuseErrors(seen.slice(0, policies.length), 'policy_unusable', 'policies of the table', POLICY_HINT)
  refuseErrors(seen.slice(policies.length), 'invalid_filter', 'filter', FILTER_HINT)
}

const FILTER_HINT = 'Compare with a value of the type that the column has.'
/** In a query the text of a policy was read when it was made, by its owner; here it is read again. */
const POLICY_HINT =
  'Give the role USAGE on the schemas that the policies name, EXECUTE on their functions, SELECT on their tables.'

function refuseErrors(answers: readonly Seen[], code: ErrorCode, what: string, hint: string): void {
  for (const seen of answers) {
    if (typeof seen === 'string' || !('code' in seen)) continue
    throw new DomainError(code, `The ${what} cannot be used: ${seen.message}.`, {
      detail: `Postgres says ${seen.code}.`,
      hint,
    })
  }
}

function tooMany(count: number): DomainError {
  return new DomainError('validation_failed', `The channel would follow ${count} tables and filters.`, {
    hint: `At most ${SUBSCRIPTIONS_MAX} are allowed: name tables instead of a whole schema, or join several channels.`,
  })
}
