// /v1/db: tables, views and functions as resources, in PostgREST's grammar.

import * as z from 'zod'
import { shareName } from '../../features/rate-limit/network.ts'
import { QUOIN_DIALECT } from '../../features/tables/dialect.ts'
import {
  ROW_LIMIT_DEFAULT,
  ROW_LIMIT_MAX,
  ROWS_BODY_BYTES_MAX,
  STATEMENT_TIMEOUT_MS,
} from '../../features/tables/limits.ts'
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

const query = (name: string, schema: z.ZodType): DocumentedParameter => ({ name, in: 'query', schema })

const Filters = z
  .record(z.string(), z.string())
  .describe(
    'Filters by column, `column=operator.value`; all must hold. Operators: eq neq gt gte lt lte like ilike match ' +
      'imatch in is isdistinct cs cd ov sl sr nxr nxl adj fts plfts phfts wfts; `not.` before one negates it. Trees: ' +
      '`or=(a.eq.1,and(b.gt.2,c.is.null))`.',
  )
const FILTERS = query('filters', Filters)
/** Without one, all rows would be changed. */
const REQUIRED_FILTERS: DocumentedParameter = {
  ...query('filters', Filters.meta({ minProperties: 1, examples: [{ id: 'eq.1' }] })),
  required: true,
}
const SELECT = query(
  'select',
  z
    .string()
    .describe('Columns that come back: `id,alias:name,data->a->>b,created_at::date`. All unless said.'),
)
const ORDER = query(
  'order',
  z.string().describe('Columns to sort by, each with `.asc` or `.desc` and `.nullsfirst` or `.nullslast`.'),
)
// Without defaults, which tools send: a function that returns no rows refuses them.
const LIMIT = query(
  'limit',
  z.int().min(0).max(ROW_LIMIT_MAX).describe(`Most rows that come back; ${ROW_LIMIT_DEFAULT} unless said.`),
)
const OFFSET = query('offset', z.int().min(0).describe('Rows to skip.'))
const COLUMNS = query(
  'columns',
  z.string().describe('Keys of the body to use; others are ignored. Rows may then have different keys.'),
)
const ON_CONFLICT = query(
  'on_conflict',
  z
    .string()
    .describe('Columns of the unique constraint that an upsert looks at; the primary key unless said.'),
)
const RANGE: DocumentedParameter = {
  name: 'Range',
  in: 'header',
  schema: z.string().describe('Rows by position, `0-9`; another way to say limit and offset.'),
}
const PREFER: DocumentedParameter = {
  name: 'Prefer',
  in: 'header',
  schema: z
    .string()
    .describe(
      'Preferences, separated by commas: return=representation|minimal|headers-only, ' +
        'count=exact|planned|estimated, max-affected=n, tx=rollback (a dry run), ' +
        'resolution=merge-duplicates|ignore-duplicates, missing=default, timezone=<name>, handling=strict.',
    ),
}

const PARAMS = {
  table: z
    .string()
    .describe('Table or view')
    .meta({ examples: ['todos'] }),
  function: z
    .string()
    .describe('Function')
    .meta({ examples: ['todo_stats'] }),
}

const Row = z
  .record(z.string(), z.unknown())
  .describe('Columns by name')
  .meta({ id: 'Row', examples: [{ id: 1, title: 'Read the three curl lines', done: true }] })
const Csv = z.string().meta({ examples: ['id,title,done\n1,Read the three curl lines,t\n'] })
const ROWS = {
  'application/json': z.array(Row),
  'text/csv': Csv,
  'application/vnd.pgrst.object+json': Row,
}
/** One row or several; a form is one row. */
const ROWS_IN = {
  'application/json': z.union([Row, z.array(Row)]),
  'text/csv': Csv,
  'application/x-www-form-urlencoded': z.record(z.string(), z.string()),
}
/** By name, or what a function with one argument without a name takes. */
const ARGUMENTS = {
  'application/json': Row.optional().describe('Arguments by name'),
  'application/x-www-form-urlencoded': z.record(z.string(), z.string()),
  'text/plain': z.string(),
  'text/xml': z.string(),
  'application/xml': z.string(),
  'application/octet-stream': z.string().meta({ format: 'binary' }),
}
const FunctionResult = z
  .unknown()
  .describe('A scalar as it is, a set as an array, a row as an object')
  .meta({ id: 'FunctionResult', examples: [[{ total: 5, done: 1, open: 4 }]] })

const NO_BODY = { description: 'Done, without a body: `Prefer: return=minimal`' }

export const dbRoutes = [
  defineRoute({
    id: 'db.call',
    method: 'post',
    path: '/v1/db/rpc/:function',
    params: { function: PARAMS.function },
    auth: 'any_key',
    summary: 'Call a Postgres function',
    description:
      'The body is a JSON object of arguments by name. Text, XML or bytes are the one argument of a function whose ' +
      'argument has no name. A scalar answers as bare JSON, a set as an array, a row as an ' +
      'object, void as 204. Rows can be filtered, ordered and paged by the query string.',
    bodyBytesMax: ROWS_BODY_BYTES_MAX,
    example: {},
    documented: {
      parameters: [FILTERS, SELECT, ORDER, LIMIT, OFFSET, PREFER],
      request: ARGUMENTS,
      answers: {
        200: { description: 'What it returned', content: { ...ROWS, 'application/json': FunctionResult } },
        204: { description: 'It returns void' },
        206: { description: 'A part of the rows: a count was asked for, and there are more', content: ROWS },
      },
    },
    handle: input => callFunction(input.deps, callOf(input.params.function, input), QUOIN_DIALECT),
  }),
  defineRoute({
    id: 'db.read',
    method: 'get',
    path: '/v1/db/:table',
    params: { table: PARAMS.table },
    auth: 'any_key',
    summary: 'Read rows of a table or view',
    description:
      'Row-level security decides what an anon key sees. 206 when a count was asked for and there are more rows; ' +
      '`Content-Range` says which rows these are.',
    documented: {
      parameters: [FILTERS, SELECT, ORDER, LIMIT, OFFSET, RANGE, PREFER],
      answers: {
        200: { description: 'The rows', content: ROWS },
        206: { description: 'A part of them: a count was asked for, and there are more', content: ROWS },
      },
    },
    handle: input => readRows(input.deps, callOf(input.params.table, input), QUOIN_DIALECT),
  }),
  defineRoute({
    id: 'db.insert',
    method: 'post',
    path: '/v1/db/:table',
    params: { table: PARAMS.table },
    auth: 'any_key',
    summary: 'Insert or upsert rows',
    description:
      'The body is one row or an array of rows; all are inserted or none. 201 with the rows, 200 when an upsert ' +
      'changed existing rows only.',
    bodyBytesMax: ROWS_BODY_BYTES_MAX,
    example: { title: 'Write the second endpoint' },
    documented: {
      parameters: [SELECT, COLUMNS, ON_CONFLICT, PREFER],
      request: ROWS_IN,
      answers: {
        200: { description: 'The rows: an upsert made no new one', content: ROWS },
        201: { description: 'The rows; none with `Prefer: return=minimal`', content: ROWS },
      },
    },
    handle: input => insertRows(input.deps, callOf(input.params.table, input), QUOIN_DIALECT),
  }),
  defineRoute({
    id: 'db.update',
    method: 'patch',
    path: '/v1/db/:table',
    params: { table: PARAMS.table },
    auth: 'any_key',
    summary: 'Change the rows that match a filter',
    description: 'Needs at least one filter. The body holds the columns to set. 200 with the changed rows.',
    bodyBytesMax: ROWS_BODY_BYTES_MAX,
    example: { done: true },
    documented: {
      parameters: [REQUIRED_FILTERS, SELECT, COLUMNS, PREFER],
      request: { ...ROWS_IN, 'application/json': Row },
      answers: { 200: { description: 'The changed rows', content: ROWS }, 204: NO_BODY },
    },
    handle: input => updateRows(input.deps, callOf(input.params.table, input), QUOIN_DIALECT),
  }),
  defineRoute({
    id: 'db.delete',
    method: 'delete',
    path: '/v1/db/:table',
    params: { table: PARAMS.table },
    auth: 'any_key',
    summary: 'Delete the rows that match a filter',
    description: 'Needs at least one filter. 200 with the rows as they were.',
    documented: {
      parameters: [REQUIRED_FILTERS, SELECT, PREFER],
      answers: { 200: { description: 'The rows as they were', content: ROWS }, 204: NO_BODY },
    },
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
