// POST /api/sql: an administrator's own SQL.

import { sessionCaller } from '../../features/sessions/session-caller.ts'
import { runAuditedSql } from '../../features/sql/run-audited-sql.ts'
import { RUN_SQL } from '../../features/sql/schemas.ts'
import { defineRoute, jsonText } from '../../http/route.ts'

export const dashboardSqlRoutes = [
  defineRoute({
    id: 'sql.run_by_session',
    method: 'post',
    path: '/api/sql',
    auth: 'admin',
    ...RUN_SQL,
    description:
      `As service_role. ${RUN_SQL.description} The audit log keeps the text of every call, failed ones too, up to ` +
      '8 KiB, and no values of parameters: so put secrets into `params`.',
    handle: async input =>
      jsonText(
        await runAuditedSql(input.deps, input.caller, 'sql.run_by_session', sessionCaller(input), input.body),
      ),
  }),
]
