// GET /api/audit-logs

import { listAuditLogs } from '../../features/audit/list-audit-logs.ts'
import { AuditLogList, AuditLogListQuery } from '../../features/audit/schemas.ts'
import { defineRoute } from '../../http/route.ts'

export const dashboardAuditLogRoutes = [
  defineRoute({
    id: 'audit_logs.list_by_session',
    method: 'get',
    path: '/api/audit-logs',
    auth: 'admin',
    summary: 'The audit log, newest first',
    description: 'As `GET /v1/audit-logs`. What was run at `/api/sql` is there too.',
    query: AuditLogListQuery,
    response: AuditLogList,
    handle: ({ deps, query }) => listAuditLogs(deps, query),
  }),
]
