// /api/db: the rows of tables, for the dashboard.

import { auditedWrite } from '../../features/data-api/audited-write.ts'
import { QUOIN_DIALECT } from '../../features/data-api/dialect.ts'
import {
  DELETE_ROWS,
  INSERT_ROWS,
  PARAMS,
  READ_ROWS,
  UPDATE_ROWS,
} from '../../features/data-api/documented.ts'
import { STATEMENT_TIMEOUT_MS } from '../../features/data-api/limits.ts'
import { deleteRows, updateRows } from '../../features/data-api/verbs/change-rows.ts'
import type { DataCall } from '../../features/data-api/verbs/data-session.ts'
import { insertRows } from '../../features/data-api/verbs/insert-rows.ts'
import { readRows } from '../../features/data-api/verbs/read-rows.ts'
import { sessionCaller } from '../../features/sessions/session-caller.ts'
import { defineRoute, type HandlerInput } from '../../http/route.ts'

type Input = HandlerInput<'/api/db/:table', 'admin', undefined, undefined>

/** Functions of the user may not choose headers here: cookies of theirs would be the administrator's. */
const callOf = (input: Input): DataCall => ({
  ...sessionCaller(input),
  name: input.params.table,
  search: input.search,
  timeoutMs: STATEMENT_TIMEOUT_MS,
  isAnswerFixed: true,
  readBodyBytes: input.readBodyBytes,
  readRawBytes: input.readRawBytes,
})

const AS_SERVICE_ROLE = 'As service_role, past row-level security.'
const AUDITED = `${AS_SERVICE_ROLE} The audit log gets the filters and the body, up to 8 KiB of each.`
const params = { table: PARAMS.table }

export const dashboardDbRoutes = [
  defineRoute({
    id: 'db.read_by_session',
    method: 'get',
    path: '/api/db/:table',
    params,
    auth: 'admin',
    ...READ_ROWS,
    description: `${AS_SERVICE_ROLE} ${READ_ROWS.description}`,
    handle: input => readRows(input.deps, callOf(input), QUOIN_DIALECT),
  }),
  defineRoute({
    id: 'db.insert_by_session',
    method: 'post',
    path: '/api/db/:table',
    params,
    auth: 'admin',
    ...INSERT_ROWS,
    description: `${AUDITED} ${INSERT_ROWS.description}`,
    handle: input =>
      auditedWrite(input.deps, input.caller, 'db.insert_by_session', callOf(input), insertRows),
  }),
  defineRoute({
    id: 'db.update_by_session',
    method: 'patch',
    path: '/api/db/:table',
    params,
    auth: 'admin',
    ...UPDATE_ROWS,
    description: `${AUDITED} ${UPDATE_ROWS.description}`,
    handle: input =>
      auditedWrite(input.deps, input.caller, 'db.update_by_session', callOf(input), updateRows),
  }),
  defineRoute({
    id: 'db.delete_by_session',
    method: 'delete',
    path: '/api/db/:table',
    params,
    auth: 'admin',
    ...DELETE_ROWS,
    description: `${AUDITED} ${DELETE_ROWS.description}`,
    handle: input =>
      auditedWrite(input.deps, input.caller, 'db.delete_by_session', callOf(input), deleteRows),
  }),
]
