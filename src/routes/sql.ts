// Callers' own SQL: one statement, a transaction, and what a script would lose.

import { databaseCaller } from '../features/callers/database-caller.ts'
import { checkSql } from '../features/sql/check-sql.ts'
import { runAuditedSql, runAuditedTransaction } from '../features/sql/run-audited-sql.ts'
import { runSql, runTransaction } from '../features/sql/run-sql.ts'
import { RUN_SQL, RUN_TRANSACTION, SqlCheckRequest, SqlCheckResponse } from '../features/sql/schemas.ts'
import { defineRoute, jsonText } from '../http/route.ts'

const AUDITED =
  'Under /api it acts as service_role, and the audit log keeps the text of every call, failed ones too, up to 8 KiB, ' +
  'and no values of parameters: so put secrets into `params`.'

export const sqlRoutes = [
  defineRoute({
    id: 'sql.run',
    method: 'post',
    mounts: { '/v1/sql': 'service_role', '/api/sql': 'admin' },
    ...RUN_SQL,
    description: `${RUN_SQL.description} ${AUDITED}`,
    unaudited: 'key_data',
    handle: async input => {
      const { deps, caller, principal, body } = input
      const outcome =
        principal.kind === 'session'
          ? await runAuditedSql(deps, caller, databaseCaller(input), body)
          : await runSql(deps, databaseCaller(input), body)
      return jsonText(outcome.json)
    },
  }),
  defineRoute({
    id: 'sql.transaction',
    method: 'post',
    mounts: { '/v1/sql/transaction': 'service_role', '/api/sql/transaction': 'admin' },
    ...RUN_TRANSACTION,
    description: `${RUN_TRANSACTION.description} ${AUDITED}`,
    unaudited: 'key_data',
    handle: async input => {
      const { deps, caller, principal, body } = input
      const outcome =
        principal.kind === 'session'
          ? await runAuditedTransaction(deps, caller, databaseCaller(input), body)
          : await runTransaction(deps, databaseCaller(input), body)
      return jsonText(outcome.json)
    },
  }),
  defineRoute({
    id: 'sql.check',
    method: 'post',
    mounts: { '/api/sql/check': 'admin' },
    summary: 'Say what a script would lose, before it runs',
    description:
      'Runs nothing. Splits the text into its statements and names what each loses for good: all rows of a table ' +
      '(DELETE, UPDATE and MERGE whose condition names no column, TRUNCATE), and what DROP and ALTER TABLE take ' +
      'away. Rows are counted up to 100000 and for 2 s, else estimated. What functions, triggers and DO blocks do ' +
      'is not seen. Nothing asks for this call: /api/sql runs what it gets.',
    body: SqlCheckRequest,
    example: { sql: 'delete from drafts; select 1' },
    response: SqlCheckResponse,
    unaudited: 'no_change',
    handle: input => checkSql(input.deps, databaseCaller(input), input.body),
  }),
]
