// /v1/sql: callers' own SQL, one statement or a transaction.

import { shareName } from '../../features/rate-limit/network.ts'
import { runSql, runTransaction, type SqlCaller } from '../../features/sql/run-sql.ts'
import {
  SqlRequest,
  SqlResponse,
  SqlTransactionRequest,
  SqlTransactionResponse,
} from '../../features/sql/schemas.ts'
import { defineRoute, type HandlerInput } from '../../http/route.ts'

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

/** The answer's text is JSON already: values were spliced into it without being parsed. */
const jsonResponse = (text: string) => new Response(text, { headers: { 'content-type': 'application/json' } })

/** Parameters may be long arrays: `unnest($1::int[])` is how many rows are written. */
const VALUES_MAX = 250_000

export const sqlRoutes = [
  defineRoute({
    id: 'sql.run',
    method: 'post',
    path: '/v1/sql',
    auth: 'service_role',
    summary: 'Run one SQL statement',
    description:
      'Runs in a transaction of its own; what it sets in its session is gone after it. A SELECT, VALUES or ' +
      'TABLE is read only as far as row_limit; every other statement runs to its end and only the answer is ' +
      'cut. Not allowed: transaction control, PREPARE, EXECUTE, DEALLOCATE, DISCARD, LISTEN, LOAD, COPY, ' +
      'SET SESSION AUTHORIZATION.',
    body: SqlRequest,
    bodyValuesMax: VALUES_MAX,
    example: { sql: 'select * from todos where done = $1', params: [false], row_limit: 10 },
    response: SqlResponse,
    handle: async input => jsonResponse(await runSql(input.deps, callerOf(input), input.body)),
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
    bodyValuesMax: VALUES_MAX,
    example: {
      statements: [
        { sql: 'update todos set done = true where id = $1', params: [1] },
        { sql: 'delete from todos where id = $1', params: [2] },
      ],
    },
    response: SqlTransactionResponse,
    handle: async input => jsonResponse(await runTransaction(input.deps, callerOf(input), input.body)),
  }),
]
