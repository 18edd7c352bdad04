// /v1/sql: callers' own SQL, one statement or a transaction.

import { shareName } from '../../features/rate-limit/network.ts'
import { runSql, runTransaction, type SqlCaller } from '../../features/sql/run-sql.ts'
import {
  BODY_VALUES_MAX,
  RUN_SQL,
  SqlTransactionRequest,
  SqlTransactionResponse,
} from '../../features/sql/schemas.ts'
import { defineRoute, type HandlerInput, jsonText } from '../../http/route.ts'

type Call = Pick<
  HandlerInput<string, 'service_role', undefined, undefined>,
  'deps' | 'principal' | 'caller' | 'requestId' | 'request' | 'path'
>

const callerOf = ({ principal, caller, requestId, request, path }: Call): SqlCaller => ({
  role: principal.key.role,
  claims: principal.endUser?.claims ?? null,
  share: shareName(principal.key.id, caller.address),
  requestId,
  method: request.method,
  path,
  headers: request.headers,
})

export const sqlRoutes = [
  defineRoute({
    id: 'sql.run',
    method: 'post',
    path: '/v1/sql',
    auth: 'service_role',
    ...RUN_SQL,
    handle: async input => jsonText((await runSql(input.deps, callerOf(input), input.body)).json),
  }),
  defineRoute({
    id: 'sql.transaction',
    method: 'post',
    path: '/v1/sql/transaction',
    auth: 'service_role',
    summary: 'Run up to 20 SQL statements in one transaction',
    description:
      'All or nothing: when a statement fails, everything is rolled back and `detail` begins with its index, as in ' +
      '`statements[2]`. The same statements are allowed as at /v1/sql, one per item.',
    body: SqlTransactionRequest,
    bodyValuesMax: BODY_VALUES_MAX,
    example: {
      statements: [
        { sql: 'update todos set done = true where id = $1', params: [1] },
        { sql: 'delete from todos where id = $1', params: [2] },
      ],
    },
    response: SqlTransactionResponse,
    handle: async input => jsonText(await runTransaction(input.deps, callerOf(input), input.body)),
  }),
]
