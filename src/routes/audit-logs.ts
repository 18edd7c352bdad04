// The audit log.

import { listAuditLogs } from '../features/audit/list-audit-logs.ts'
import { AuditLogList, AuditLogListQuery } from '../features/audit/schemas.ts'
import { defineRoute } from '../http/route.ts'

export const auditLogRoutes = [
  defineRoute({
    id: 'audit_logs.list',
    method: 'get',
    mounts: { '/v1/audit-logs': 'service_role', '/api/audit-logs': 'admin' },
    summary: 'The audit log, newest first',
    description:
      'Who changed what, when, from where, and what became of it. Entries are never changed or deleted. ' +
      'What a session runs as SQL is there too.',
    query: AuditLogListQuery,
    response: AuditLogList,
    handle: ({ deps, query }) => listAuditLogs(deps, query),
  }),
]
