// /api/sql: an administrator's own SQL, and what it would lose.

import { sessionCaller } from '../../features/sessions/session-caller.ts'
import { checkSql } from '../../features/sql/check-sql.ts'
import { runAuditedSql, runAuditedTransaction } from '../../features/sql/run-audited-sql.ts'
import { RUN_SQL, RUN_TRANSACTION, SqlCheckRequest, SqlCheckResponse } from '../../features/sql/schemas.ts'
import { defineRoute, jsonText } from '../../http/route.ts'

const AUDITED =
  'The audit log keeps the text of every call, failed ones too, up to 8 KiB, and no values of parameters: so put ' +
  'secrets into `params`.'

export const dashboardSqlRoutes = [
  defineRoute({
    id: 'sql.run_by_session',
    method: 'post',
    path: '/api/sql',
    auth: 'admin',
    ...RUN_SQL,
    description: `As service_role. ${RUN_SQL.description} ${AUDITED}`,
    handle: async input =>
      jsonText(
        await runAuditedSql(input.deps, input.caller, 'sql.run_by_session', sessionCaller(input), input.body),
      ),
  }),
  defineRoute({
    id: 'sql.transaction_by_session',
    method: 'post',
    path: '/api/sql/transaction',
    auth: 'admin',
    ...RUN_TRANSACTION,
    description: `As service_role. ${RUN_TRANSACTION.description} ${AUDITED}`,
    handle: async input =>
      jsonText(
        await runAuditedTransaction(
          input.deps,
          input.caller,
          'sql.transaction_by_session',
          sessionCaller(input),
          input.body,
        ),
      ),
  }),
  defineRoute({
    id: 'sql.check',
    method: 'post',
    path: '/api/sql/check',
    auth: 'admin',
    summary: 'Say what a script would lose, before it runs',
    description:
      'Runs nothing. Splits the text into its statements and names what each loses for good: all rows of a table ' +
      '(DELETE, UPDATE and MERGE whose condition names no column, TRUNCATE), and what DROP and ALTER TABLE take ' +
      'away. Rows are counted up to 100000 and for 2 s, else estimated. What functions, triggers and DO blocks do ' +
      'is not seen. Nothing asks for this call: /api/sql runs what it gets.',
    body: SqlCheckRequest,
    example: { sql: 'delete from drafts; select 1' },
    response: SqlCheckResponse,
    handle: ({ deps, body, ...call }) => checkSql(deps, sessionCaller(call), body),
  }),
]
