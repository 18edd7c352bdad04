// Tables, views and functions as resources, in PostgREST's grammar.

import { auditedWrite } from '../features/data-api/audited-write.ts'
import { dataCall } from '../features/data-api/data-call.ts'
import { QUOIN_DIALECT } from '../features/data-api/dialect.ts'
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

/** Of both surfaces: as an API key's role, or as service_role past row-level security. */
const MOUNTS = { '/v1/db/:table': 'any_key', '/api/db/:table': 'admin' } as const

type Input = Omit<HandlerInput<typeof MOUNTS, undefined, undefined>, 'params'>

/** A program's writes are its own affair, a person's get a row in the audit log. */
function write(
  verb: typeof insertRows,
  input: Input & { params: { table: string } },
  caller: Input['caller'],
) {
  const call = dataCall(input.params.table, input)
  return input.principal.kind === 'session'
    ? auditedWrite(input.deps, caller, call, verb)
    : verb(input.deps, call, QUOIN_DIALECT)
}

const AS_SESSION = 'Under /api it acts as service_role, past row-level security.'
const AUDITED = `${AS_SESSION} There the audit log gets the filters and the body, up to 8 KiB of each.`

export const dataRoutes = [
  defineRoute({
    id: 'db.call',
    method: 'post',
    mounts: { '/v1/db/rpc/:function': 'any_key' },
    params: { function: PARAMS.function },
    ...CALL_FUNCTION,
    unaudited: 'key_data',
    handle: input => callFunction(input.deps, dataCall(input.params.function, input), QUOIN_DIALECT),
  }),
  defineRoute({
    id: 'db.call_read',
    method: 'get',
    mounts: { '/v1/db/rpc/:function': 'any_key' },
    params: { function: PARAMS.function },
    ...CALL_FUNCTION_READ,
    handle: input => callFunction(input.deps, dataCall(input.params.function, input), QUOIN_DIALECT),
  }),
  defineRoute({
    id: 'db.read',
    method: 'get',
    mounts: MOUNTS,
    params: { table: PARAMS.table },
    ...READ_ROWS,
    description: `Row-level security decides what an anon key sees. ${READ_ROWS.description} ${AS_SESSION}`,
    handle: input => readRows(input.deps, dataCall(input.params.table, input), QUOIN_DIALECT),
  }),
  defineRoute({
    id: 'db.insert',
    method: 'post',
    mounts: MOUNTS,
    params: { table: PARAMS.table },
    ...INSERT_ROWS,
    description: `${INSERT_ROWS.description} ${AUDITED}`,
    unaudited: 'key_data',
    handle: input => write(insertRows, input, input.caller),
  }),
  defineRoute({
    id: 'db.update',
    method: 'patch',
    mounts: MOUNTS,
    params: { table: PARAMS.table },
    ...UPDATE_ROWS,
    description: `${UPDATE_ROWS.description} ${AUDITED}`,
    unaudited: 'key_data',
    handle: input => write(updateRows, input, input.caller),
  }),
  defineRoute({
    id: 'db.put',
    method: 'put',
    mounts: { '/v1/db/:table': 'any_key' },
    params: { table: PARAMS.table },
    ...PUT_ROW,
    unaudited: 'key_data',
    handle: input => putRow(input.deps, dataCall(input.params.table, input), QUOIN_DIALECT),
  }),
  defineRoute({
    id: 'db.delete',
    method: 'delete',
    mounts: MOUNTS,
    params: { table: PARAMS.table },
    ...DELETE_ROWS,
    description: `${DELETE_ROWS.description} ${AUDITED}`,
    unaudited: 'key_data',
    handle: input => write(deleteRows, input, input.caller),
  }),
  defineRoute({
    id: 'db.call_options',
    method: 'options',
    mounts: { '/v1/db/rpc/:function': 'any_key' },
    params: { function: PARAMS.function },
    summary: 'Ask which methods call a function',
    handle: input => functionOptions(input.deps, dataCall(input.params.function, input)),
  }),
  defineRoute({
    id: 'db.options',
    method: 'options',
    mounts: { '/v1/db/:table': 'any_key' },
    params: { table: PARAMS.table },
    summary: 'Ask which methods a table or view takes',
    description: 'They stand in `Allow`: of a view, those that Postgres can carry out on it.',
    handle: input => tableOptions(input.deps, dataCall(input.params.table, input)),
  }),
]
