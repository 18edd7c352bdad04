// Tables, views and functions for unmodified clients of PostgREST and Supabase: its paths and defaults over the verbs
// of `data-api.ts`.

import { dataCall } from '../features/data-api/data-call.ts'
import { postgrestDialect } from '../features/data-api/dialect.ts'
import {
  CALL_FUNCTION,
  CALL_FUNCTION_READ,
  DELETE_ROWS,
  INSERT_ROWS,
  PARAMS,
  PUT_ROW,
  READ_ROWS,
  UPDATE_ROWS,
} from '../features/data-api/documented.ts'
import { callFunction } from '../features/data-api/verbs/call-function.ts'
import { deleteRows, updateRows } from '../features/data-api/verbs/change-rows.ts'
import { functionOptions } from '../features/data-api/verbs/function-options.ts'
import { insertRows } from '../features/data-api/verbs/insert-rows.ts'
import { putRow } from '../features/data-api/verbs/put-row.ts'
import { readRows } from '../features/data-api/verbs/read-rows.ts'
import { tableOptions } from '../features/data-api/verbs/table-options.ts'
import { defineRoute, type HandlerInput } from '../http/route.ts'

const MINIMAL = 'Nothing comes back unless `Prefer: return=representation` asks for it.'
const CUT = 'At most DB_MAX_ROWS rows come back, whatever `limit` says.'

const TABLE = { '/rest/v1/:table': 'any_key' } as const
const TABLE_PARAMS = { table: PARAMS.table }
type TableInput = HandlerInput<typeof TABLE, undefined, undefined>

function onTable(verb: typeof readRows, input: TableInput) {
  const { deps, params } = input
  return verb(deps, dataCall(params.table, input), postgrestDialect(deps.config))
}

export const supabaseRestRoutes = [
  defineRoute({
    id: 'rest.call',
    method: 'post',
    mounts: { '/rest/v1/rpc/:function': 'any_key' },
    params: { function: PARAMS.function },
    ...CALL_FUNCTION,
    summary: 'supabase-js: rpc',
    unaudited: 'key_data',
    handle: input =>
      callFunction(input.deps, dataCall(input.params.function, input), postgrestDialect(input.deps.config)),
  }),
  defineRoute({
    id: 'rest.call_read',
    method: 'get',
    mounts: { '/rest/v1/rpc/:function': 'any_key' },
    params: { function: PARAMS.function },
    ...CALL_FUNCTION_READ,
    summary: 'supabase-js: rpc with get or head',
    handle: input =>
      callFunction(input.deps, dataCall(input.params.function, input), postgrestDialect(input.deps.config)),
  }),
  defineRoute({
    id: 'rest.call_options',
    method: 'options',
    mounts: { '/rest/v1/rpc/:function': 'any_key' },
    params: { function: PARAMS.function },
    summary: 'Ask which methods call a function',
    handle: input => functionOptions(input.deps, dataCall(input.params.function, input)),
  }),
  defineRoute({
    id: 'rest.read',
    method: 'get',
    mounts: TABLE,
    params: TABLE_PARAMS,
    ...READ_ROWS,
    summary: 'supabase-js: select',
    description: `${READ_ROWS.description} ${CUT}`,
    handle: input => onTable(readRows, input),
  }),
  defineRoute({
    id: 'rest.insert',
    method: 'post',
    mounts: TABLE,
    params: TABLE_PARAMS,
    ...INSERT_ROWS,
    summary: 'supabase-js: insert and upsert',
    description: `The body is one row or an array of rows; all are inserted or none. ${MINIMAL}`,
    unaudited: 'key_data',
    handle: input => onTable(insertRows, input),
  }),
  defineRoute({
    id: 'rest.update',
    method: 'patch',
    mounts: TABLE,
    params: TABLE_PARAMS,
    ...UPDATE_ROWS,
    summary: 'supabase-js: update',
    description: `Needs at least one filter. The body holds the columns to set. ${MINIMAL}`,
    unaudited: 'key_data',
    handle: input => onTable(updateRows, input),
  }),
  defineRoute({
    id: 'rest.put',
    method: 'put',
    mounts: TABLE,
    params: TABLE_PARAMS,
    ...PUT_ROW,
    description: `${PUT_ROW.description} ${MINIMAL}`,
    unaudited: 'key_data',
    handle: input => onTable(putRow, input),
  }),
  defineRoute({
    id: 'rest.delete',
    method: 'delete',
    mounts: TABLE,
    params: TABLE_PARAMS,
    ...DELETE_ROWS,
    summary: 'supabase-js: delete',
    description: `Needs at least one filter. ${MINIMAL}`,
    unaudited: 'key_data',
    handle: input => onTable(deleteRows, input),
  }),
  defineRoute({
    id: 'rest.options',
    method: 'options',
    mounts: TABLE,
    params: TABLE_PARAMS,
    summary: 'Ask which methods a table or view takes',
    handle: input => tableOptions(input.deps, dataCall(input.params.table, input)),
  }),
]
