// Pages of the audit log, newest first. One statement, of the filters that were given and no others, so that Postgres
// can choose the index that fits them.

import { type KeysetPosition, pageOf, readCursor } from '../../db/keyset-page.ts'
import { Parameters, type Statement } from '../../db/sql.ts'
import type { AuditDeps } from './audited.ts'
import type { AuditLog, AuditLogList, AuditLogListQuery } from './schemas.ts'

const COLUMNS =
  'id, created_at, completed_at, request_id, actor_kind, actor_id, actor_name, address, action, target_kind, target_id, ' +
  'outcome, error_code, before, after'
const EXACT_FILTERS = [
  'actor_kind',
  'actor_id',
  'action',
  'target_kind',
  'target_id',
  'outcome',
  'request_id',
] as const

/** One page of entries. Throws `invalid_parameter` for a cursor that is not one of ours. */
export async function listAuditLogs(deps: AuditDeps, query: AuditLogListQuery): Promise<AuditLogList> {
  const { sql, params } = pageStatement(query, readCursor(query.cursor))
  const rows = await deps.platform.query<AuditLog>(sql, params)
  const { page, nextCursor } = pageOf(rows, query.limit)
  return { data: page.map(toAuditLog), next_cursor: nextCursor }
}

/** The newest entries that fit, from behind `after`; entries of one time are ordered by id. */
function pageStatement(query: AuditLogListQuery, after: KeysetPosition | null): Statement {
  const params = new Parameters()
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
  const sql = `select ${COLUMNS} from quoin.audit_logs ${where} order by created_at desc, id desc limit ${limit}::integer`
  return { sql, params: params.values }
}

function toAuditLog(row: AuditLog): AuditLog {
  const completedAt = row.completed_at
  return {
    ...row,
    created_at: new Date(row.created_at).toISOString(),
    completed_at: completedAt === null ? null : new Date(completedAt).toISOString(),
  }
}
