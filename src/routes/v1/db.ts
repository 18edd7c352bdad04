// /v1/db: tables, views and functions as resources, in PostgREST's grammar.

import { shareName } from '../../features/rate-limit/network.ts'
import { QUOIN_DIALECT } from '../../features/tables/dialect.ts'
import { ROWS_BODY_BYTES_MAX, STATEMENT_TIMEOUT_MS } from '../../features/tables/limits.ts'
import { callFunction } from '../../features/tables/verbs/call-function.ts'
import { deleteRows, updateRows } from '../../features/tables/verbs/change-rows.ts'
import type { DataCall } from '../../features/tables/verbs/data-session.ts'
import { insertRows } from '../../features/tables/verbs/insert-rows.ts'
import { readRows } from '../../features/tables/verbs/read-rows.ts'
import { tableOptions } from '../../features/tables/verbs/table-options.ts'
import { type DocumentedParameter, defineRoute, type HandlerInput } from '../../http/route.ts'

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

const FILTERS: DocumentedParameter = {
  name: '<column>',
  in: 'query',
  description:
    'A filter, `operator.value`; several must all hold. Operators: eq neq gt gte lt lte like ilike match ' +
    'imatch in is isdistinct cs cd ov sl sr nxr nxl adj fts plfts phfts wfts; `not.` before one negates it. Trees: ' +
    '`or=(a.eq.1,and(b.gt.2,c.is.null))`.',
  example: 'gte.18',
}
/** Without one, all rows would be changed. */
const REQUIRED_FILTERS: DocumentedParameter = { ...FILTERS, required: true }
const SELECT: DocumentedParameter = {
  name: 'select',
  in: 'query',
  description: 'Columns that come back: `id,alias:name,data->a->>b,created_at::date`. All unless said.',
  example: 'id,name',
}
const ORDER: DocumentedParameter = {
  name: 'order',
  in: 'query',
  description: 'Columns to sort by, each with `.asc` or `.desc` and `.nullsfirst` or `.nullslast`.',
  example: 'created_at.desc.nullslast,id',
}
const LIMIT: DocumentedParameter = {
  name: 'limit',
  in: 'query',
  description: 'Most rows that come back: 1000 unless said, at most 10000.',
  example: '100',
}
const OFFSET: DocumentedParameter = {
  name: 'offset',
  in: 'query',
  description: 'Rows to skip.',
  example: '200',
}
const COLUMNS: DocumentedParameter = {
  name: 'columns',
  in: 'query',
  description: 'Keys of the body to use; others are ignored. Rows may then have different keys.',
}
const PREFER: DocumentedParameter = {
  name: 'Prefer',
  in: 'header',
  description:
    'Preferences, separated by commas: return=representation|minimal|headers-only, count=exact|planned|estimated, ' +
    'max-affected=n, tx=rollback (a dry run), resolution=merge-duplicates|ignore-duplicates, missing=default, ' +
    'timezone=<name>, handling=strict.',
}

const BODY_TYPES = ['application/json', 'text/csv', 'application/x-www-form-urlencoded']
const CALL_TYPES = [
  'application/json',
  'application/x-www-form-urlencoded',
  'text/plain',
  'text/xml',
  'application/octet-stream',
]
const ROW_TYPES = ['application/json', 'text/csv', 'application/vnd.pgrst.object+json']

export const dbRoutes = [
  defineRoute({
    id: 'db.call',
    method: 'post',
    path: '/v1/db/rpc/:function',
    auth: 'any_key',
    summary: 'Call a Postgres function',
    description:
      'The body is a JSON object of arguments by name. Text, XML or bytes are the one argument of a function whose ' +
      'argument has no name. A scalar answers as bare JSON, a set as an array, a row as an ' +
      'object, void as 204. Rows can be filtered, ordered and paged by the query string.',
    bodyBytesMax: ROWS_BODY_BYTES_MAX,
    documented: {
      parameters: [FILTERS, SELECT, ORDER, LIMIT, OFFSET, PREFER],
      requestTypes: CALL_TYPES,
      responseTypes: ROW_TYPES,
    },
    handle: input => callFunction(input.deps, callOf(input.params.function, input), QUOIN_DIALECT),
  }),
  defineRoute({
    id: 'db.read',
    method: 'get',
    path: '/v1/db/:table',
    auth: 'any_key',
    summary: 'Read rows of a table or view',
    description:
      'Row-level security decides what an anon key sees. 206 when a count was asked for and there are more rows; ' +
      '`Content-Range` says which rows these are.',
    documented: {
      parameters: [
        FILTERS,
        SELECT,
        ORDER,
        LIMIT,
        OFFSET,
        {
          name: 'Range',
          in: 'header',
          description: 'Rows by position, `0-9`; another way to say limit and offset.',
        },
        PREFER,
      ],
      responseTypes: ROW_TYPES,
    },
    handle: input => readRows(input.deps, callOf(input.params.table, input), QUOIN_DIALECT),
  }),
  defineRoute({
    id: 'db.insert',
    method: 'post',
    path: '/v1/db/:table',
    auth: 'any_key',
    summary: 'Insert or upsert rows',
    description:
      'The body is one row or an array of rows; all are inserted or none. 201 with the rows, 200 when an upsert ' +
      'changed existing rows only.',
    bodyBytesMax: ROWS_BODY_BYTES_MAX,
    example: { title: 'Write the second endpoint' },
    status: 201,
    documented: {
      parameters: [
        SELECT,
        COLUMNS,
        {
          name: 'on_conflict',
          in: 'query',
          description:
            'Columns of the unique constraint that an upsert looks at; the primary key unless said.',
        },
        PREFER,
      ],
      requestTypes: BODY_TYPES,
      responseTypes: ROW_TYPES,
    },
    handle: input => insertRows(input.deps, callOf(input.params.table, input), QUOIN_DIALECT),
  }),
  defineRoute({
    id: 'db.update',
    method: 'patch',
    path: '/v1/db/:table',
    auth: 'any_key',
    summary: 'Change the rows that match a filter',
    description: 'Needs at least one filter. The body holds the columns to set. 200 with the changed rows.',
    bodyBytesMax: ROWS_BODY_BYTES_MAX,
    example: { done: true },
    documented: {
      parameters: [REQUIRED_FILTERS, SELECT, COLUMNS, PREFER],
      requestTypes: BODY_TYPES,
      responseTypes: ROW_TYPES,
    },
    handle: input => updateRows(input.deps, callOf(input.params.table, input), QUOIN_DIALECT),
  }),
  defineRoute({
    id: 'db.delete',
    method: 'delete',
    path: '/v1/db/:table',
    auth: 'any_key',
    summary: 'Delete the rows that match a filter',
    description: 'Needs at least one filter. 200 with the rows as they were.',
    documented: { parameters: [REQUIRED_FILTERS, SELECT, PREFER], responseTypes: ROW_TYPES },
    handle: input => deleteRows(input.deps, callOf(input.params.table, input), QUOIN_DIALECT),
  }),
  defineRoute({
    id: 'db.options',
    method: 'options',
    path: '/v1/db/:table',
    auth: 'any_key',
    summary: 'Ask which methods a table or view takes',
    description: 'They stand in `Allow`: of a view, those that Postgres can carry out on it.',
    handle: input => tableOptions(input.deps, callOf(input.params.table, input)),
  }),
]
