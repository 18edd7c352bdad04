// /v1/db: tables, views and functions as resources, in PostgREST's grammar.

import { shareName } from '../../features/api-keys/limit/network.ts'
import { QUOIN_DIALECT } from '../../features/data-api/dialect.ts'
import {
  CALL_FUNCTION,
  DELETE_ROWS,
  INSERT_ROWS,
  PARAMS,
  READ_ROWS,
  UPDATE_ROWS,
} from '../../features/data-api/documented.ts'
import { STATEMENT_TIMEOUT_MS } from '../../features/data-api/limits.ts'
import { callFunction } from '../../features/data-api/verbs/call-function.ts'
import { deleteRows, updateRows } from '../../features/data-api/verbs/change-rows.ts'
import type { DataCall } from '../../features/data-api/verbs/data-session.ts'
import { insertRows } from '../../features/data-api/verbs/insert-rows.ts'
import { readRows } from '../../features/data-api/verbs/read-rows.ts'
import { tableOptions } from '../../features/data-api/verbs/table-options.ts'
import { defineRoute, type HandlerInput } from '../../http/route.ts'

type Call = Pick<
  HandlerInput<string, 'any_key', undefined, undefined>,
  | 'deps'
  | 'principal'
  | 'caller'
  | 'request'
  | 'path'
  | 'search'
  | 'requestId'
  | 'readBodyBytes'
  | 'readRawBytes'
>

function callOf(
  name: string,
  { deps, principal, caller, request, path, search, requestId, readBodyBytes, readRawBytes }: Call,
): DataCall {
  return {
    name,
    path,
    search,
    method: request.method,
    headers: request.headers,
    role: principal.key.role,
    claims: principal.endUser?.claims ?? null,
    share: shareName(principal.key.id, caller.address),
    timeoutMs: principal.key.role === 'anon' ? deps.config.anonStatementTimeoutMs : STATEMENT_TIMEOUT_MS,
    requestId,
    readBodyBytes,
    readRawBytes,
  }
}

export const dbRoutes = [
  defineRoute({
    id: 'db.call',
    method: 'post',
    path: '/v1/db/rpc/:function',
    params: { function: PARAMS.function },
    auth: 'any_key',
    ...CALL_FUNCTION,
    handle: input => callFunction(input.deps, callOf(input.params.function, input), QUOIN_DIALECT),
  }),
  defineRoute({
    id: 'db.read',
    method: 'get',
    path: '/v1/db/:table',
    params: { table: PARAMS.table },
    auth: 'any_key',
    ...READ_ROWS,
    description: `Row-level security decides what an anon key sees. ${READ_ROWS.description}`,
    handle: input => readRows(input.deps, callOf(input.params.table, input), QUOIN_DIALECT),
  }),
  defineRoute({
    id: 'db.insert',
    method: 'post',
    path: '/v1/db/:table',
    params: { table: PARAMS.table },
    auth: 'any_key',
    ...INSERT_ROWS,
    handle: input => insertRows(input.deps, callOf(input.params.table, input), QUOIN_DIALECT),
  }),
  defineRoute({
    id: 'db.update',
    method: 'patch',
    path: '/v1/db/:table',
    params: { table: PARAMS.table },
    auth: 'any_key',
    ...UPDATE_ROWS,
    handle: input => updateRows(input.deps, callOf(input.params.table, input), QUOIN_DIALECT),
  }),
  defineRoute({
    id: 'db.delete',
    method: 'delete',
    path: '/v1/db/:table',
    params: { table: PARAMS.table },
    auth: 'any_key',
    ...DELETE_ROWS,
    handle: input => deleteRows(input.deps, callOf(input.params.table, input), QUOIN_DIALECT),
  }),
  defineRoute({
    id: 'db.options',
    method: 'options',
    path: '/v1/db/:table',
    params: { table: PARAMS.table },
    auth: 'any_key',
    summary: 'Ask which methods a table or view takes',
    description: 'They stand in `Allow`: of a view, those that Postgres can carry out on it.',
    handle: input => tableOptions(input.deps, callOf(input.params.table, input)),
  }),
]
