// Pages of the audit log, newest first. One statement, of the filters that were given and no others, so that Postgres
// can choose the index that fits them.

import type { PlatformDatabase } from '../../db/database.ts'
import { type KeysetPosition, pageOf, readCursor } from '../../db/keyset-page.ts'
import { Parameters, type Statement } from '../../db/sql.ts'
import type { AuditLog, AuditLogList, AuditLogListQuery } from './schemas.ts'

const COLUMNS =
  'id, created_at, completed_at, request_id, actor_kind, actor_id, actor_name, address, action, ' +
  'target_kind, target_id, outcome, error_code, before, after'
const EXACT_FILTERS = [
  'actor_kind',
  'actor_id',
  'action',
  'target_kind',
  'target_id',
  'outcome',
  'request_id',
] as const

/** States of clients are up to half a megabyte each: a page of those ends earlier, as the wire takes 16 MiB. */
const PAGE_BYTES_MAX = 4 * 1024 * 1024

/** What matches few of many entries is sought for seconds. */
const READING = 'audit'

type Row = AuditLog & { is_cut: boolean }

/** One page of entries; a page of large ones ends early. Throws `invalid_parameter` for a cursor that is not ours. */
export async function listAuditLogs(
  deps: { platform: Pick<PlatformDatabase, 'forReading'> },
  query: AuditLogListQuery,
): Promise<AuditLogList> {
  const { sql, params } = pageStatement(query, readCursor(query.cursor))
  const rows = await deps.platform.forReading(READING).query<Row>(sql, params, 'repeatable')
  const { page, nextCursor } = pageOf(rows, rows.at(-1)?.is_cut ? rows.length - 1 : query.limit)
  return { data: page.map(toAuditLog), next_cursor: nextCursor }
}

/**
 * The newest entries that fit, from behind `after`; entries of one time are ordered by id. The last row is of the
 * next page, where there is one: of two rows the first is shown, whatever its size.
 */
function pageStatement(query: AuditLogListQuery, after: KeysetPosition | null): Statement<string | null> {
  const params = new Parameters<string | null>()
  const conditions = EXACT_FILTERS.flatMap(column => {
    const value = query[column]
    return value === undefined ? [] : [`${column} = ${params.add(value)}`]
  })
  if (query.from !== undefined) conditions.push(`created_at >= ${params.add(query.from)}::timestamptz`)
  if (query.to !== undefined) conditions.push(`created_at < ${params.add(query.to)}::timestamptz`)
  if (after !== null) {
    const [time, id] = [params.add(after.createdAt), params.add(after.id)]
    conditions.push(`(created_at, id) < (${time}::timestamptz, ${id}::uuid)`)
  }
  const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`
  const limit = params.add(String(query.limit + 1))
  const newestFirst = 'order by created_at desc, id desc'
  const sql = `
    select ${COLUMNS}, is_cut from (
      select *, row_number() over (${newestFirst}) as place, lead(id) over (${newestFirst}) is not null as is_cut,
        sum(bytes) over (${newestFirst}) - bytes as bytes_before
      from (
        select ${COLUMNS}, coalesce(octet_length(before::text), 0) + coalesce(octet_length(after::text), 0) as bytes
        from quoin.audit_logs ${where} ${newestFirst} limit ${limit}::integer) entry
    ) entry where place <= 2 or bytes_before <= ${PAGE_BYTES_MAX} ${newestFirst}`
  return { sql, params: params.values }
}

function toAuditLog({ is_cut, ...row }: Row): AuditLog {
  const completedAt = row.completed_at
  return {
    ...row,
    created_at: new Date(row.created_at).toISOString(),
    completed_at: completedAt === null ? null : new Date(completedAt).toISOString(),
  }
}
