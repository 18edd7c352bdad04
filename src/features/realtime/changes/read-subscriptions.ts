// The entries of a join's `postgres_changes` as subscriptions: which tables they mean, which columns, which filter.
// What is refused is refused here, and not when the first row changes.

import type { DatabaseRole } from '../../../db/database.ts'
import { DomainError } from '../../../errors.ts'
import { type AskSightDeps, askSight } from '../sight/ask-sight.ts'
import { type FindTablesDeps, type FollowedTable, findTables } from '../watching/find-tables.ts'
import type { ChangesAsked } from '../wire/join-request.ts'
import { parseColumns } from './parse-columns.ts'
import { parseFilter } from './parse-filter.ts'
import type { Subscription } from './subscription.ts'

/** Of one channel: an entry for all tables of a schema has one for each. */
const SUBSCRIPTIONS_MAX = 500
const TRY_TIMEOUT_MS = 1_000

/**
 * Reads the entries for a caller of this role. Throws `DomainError` for a table that is none or not to be seen, for
 * columns and filters that cannot be, and `PostgresError` for a value that is none of its column's type.
 */
export async function readSubscriptions(
  deps: FindTablesDeps & AskSightDeps,
  role: DatabaseRole,
  asked: readonly ChangesAsked[],
  share: string,
): Promise<Subscription[]> {
  const found = new Map<string, Promise<readonly FollowedTable[]>>()
  const tablesOf = ({ schema, table }: ChangesAsked) => {
    const key = JSON.stringify([schema, table])
    const finding = found.get(key) ?? findTables(deps, role, { schema, table })
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
        filter: entry.filter === undefined ? null : parseFilter(table, table.typed, role, entry.filter),
        columns: entry.select === undefined ? null : parseColumns(table, role, entry.select),
      })
    }
  }
  if (subscriptions.length > SUBSCRIPTIONS_MAX) throw tooMany(subscriptions.length)
  await tryFilters(deps, role, subscriptions, share)
  return subscriptions
}

/** Postgres reads each filter once, with no row: a value that is none of its column's type is refused. */
async function tryFilters(
  deps: AskSightDeps,
  role: DatabaseRole,
  subscriptions: readonly Subscription[],
  share: string,
): Promise<void> {
  const filters = subscriptions.flatMap(({ tableId, filter }) =>
    filter === null ? [] : [{ tableId, role, sql: filter.sql, params: filter.params }],
  )
  if (filters.length === 0) return
  const tables = [...new Set(filters.map(({ tableId }) => tableId))].map(tableId => ({ tableId, images: [] }))
  const question = { tables, classes: [], filters }
  const answer = await askSight(deps, question, { timeoutMs: TRY_TIMEOUT_MS, share })
  for (const seen of answer.filters) {
    if (typeof seen === 'string' || !('code' in seen)) continue
    throw new DomainError('invalid_filter', `The filter cannot be used: ${seen.message}.`, {
      detail: `Postgres says ${seen.code}.`,
      hint: 'Compare with a value of the type that the column has.',
    })
  }
}

function tooMany(count: number): DomainError {
  return new DomainError('validation_failed', `The channel would follow ${count} tables and filters.`, {
    hint: `At most ${SUBSCRIPTIONS_MAX} are allowed: name tables instead of a whole schema, or join several channels.`,
  })
}
