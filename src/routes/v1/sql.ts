// /v1/sql: callers' own SQL, one statement or a transaction.

import { shareName } from '../../features/api-keys/limit/network.ts'
import { runSql, runTransaction, type SqlCaller } from '../../features/sql/run-sql.ts'
import { RUN_SQL, RUN_TRANSACTION } from '../../features/sql/schemas.ts'
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
    ...RUN_TRANSACTION,
    handle: async input => jsonText((await runTransaction(input.deps, callerOf(input), input.body)).json),
  }),
]
