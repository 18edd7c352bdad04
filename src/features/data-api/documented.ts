// What the reference says of table and function calls, once for every mount of the data API. Shapes and words only:
// what a call takes is decided in `grammar/` and `payload/`.

import * as z from 'zod'
import {
  EMBED_DEPTH_MAX,
  EMBEDS_MAX,
  ROW_LIMIT_DEFAULT,
  ROW_LIMIT_MAX,
  ROWS_BODY_BYTES_MAX,
} from './limits.ts'

interface Parameter {
  name: string
  in: 'query' | 'header'
  schema: z.ZodType
  required?: boolean
}

const query = (name: string, schema: z.ZodType): Parameter => ({ name, in: 'query', schema })

const Filters = z
  .record(z.string(), z.string())
  .describe(
    'Filters by column, `column=operator.value`; all must hold. Operators: eq neq gt gte lt lte like ilike match ' +
      'imatch in is isdistinct cs cd ov sl sr nxr nxl adj fts plfts phfts wfts; `not.` before one negates it. Trees: ' +
      '`or=(a.eq.1,and(b.gt.2,c.is.null))`.',
  )
const FILTERS = query('filters', Filters)
/** Without one, all rows would be changed. */
const REQUIRED_FILTERS: Parameter = {
  ...query('filters', Filters.meta({ minProperties: 1, examples: [{ id: 'eq.1' }] })),
  required: true,
}
const SELECT = query(
  'select',
  z
    .string()
    .describe(
      'Columns that come back: `id,alias:name,data->a->>b,created_at::date`; all unless said. Related rows: ' +
        '`author(name)`, `tags!inner(id)`, `...author(name)`; aggregates: `amount.sum()`, ' +
        `\`count()\`. At most ${EMBEDS_MAX} relations, ${EMBED_DEPTH_MAX} deep.`,
    ),
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
const RANGE: Parameter = {
  name: 'Range',
  in: 'header',
  schema: z.string().describe('Rows by position, `0-9`; another way to say limit and offset.'),
}
const PREFER: Parameter = {
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

const profile = (name: string): Parameter => ({
  name,
  in: 'header',
  schema: z.string().describe('Schema of the table, one of DB_SCHEMAS; by default the first.'),
})
const ACCEPT_PROFILE = profile('Accept-Profile')
const CONTENT_PROFILE = profile('Content-Profile')

/** Names in the path. */
export const PARAMS = {
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
const ARGUMENT_PARAMETERS = query(
  'arguments',
  z.record(z.string(), z.string()).describe('Arguments by name, `a=1&b=2`.'),
)
const FunctionResult = z
  .unknown()
  .describe('A scalar as it is, a set as an array, a row as an object')
  .meta({ id: 'FunctionResult', examples: [[{ total: 5, done: 1, open: 4 }]] })

const NO_BODY = { description: 'Done, without a body: `Prefer: return=minimal`' }

const CALLED = {
  200: { description: 'What it returned', content: { ...ROWS, 'application/json': FunctionResult } },
  204: { description: 'It returns void' },
  206: { description: 'A part of the rows: a count was asked for, and there are more', content: ROWS },
}

/** A call of a function, as a route declares it; the other constants here alike. */
export const CALL_FUNCTION = {
  summary: 'Call a Postgres function',
  description:
    'The body is a JSON object of arguments by name. Text, XML or bytes are the one argument of a function whose ' +
    'argument has no name. A scalar answers as bare JSON, a set as an array, a row as an ' +
    'object, void as 204. Rows can be filtered, ordered and paged by the query string.',
  bodyBytesMax: ROWS_BODY_BYTES_MAX,
  example: {},
  documented: {
    parameters: [FILTERS, SELECT, ORDER, LIMIT, OFFSET, PREFER, CONTENT_PROFILE],
    request: ARGUMENTS,
    answers: CALLED,
  },
}

export const CALL_FUNCTION_READ = {
  summary: 'Call a Postgres function that only reads',
  description:
    'Arguments by name are parameters of the query string, in the form that Postgres reads their types in; several ' +
    'of one name are those of a VARIADIC argument. What begins with an operator, as `id=eq.1`, filters the rows. The ' +
    'call is read-only: of a function that writes it is 405.',
  documented: {
    parameters: [ARGUMENT_PARAMETERS, FILTERS, SELECT, ORDER, LIMIT, OFFSET, RANGE, PREFER, ACCEPT_PROFILE],
    answers: CALLED,
  },
}

export const READ_ROWS = {
  summary: 'Read rows of a table or view',
  description:
    '206 when a count was asked for and there are more rows; `Content-Range` says which rows these are.',
  documented: {
    parameters: [FILTERS, SELECT, ORDER, LIMIT, OFFSET, RANGE, PREFER, ACCEPT_PROFILE],
    answers: {
      200: { description: 'The rows', content: ROWS },
      206: { description: 'A part of them: a count was asked for, and there are more', content: ROWS },
    },
  },
}

export const INSERT_ROWS = {
  summary: 'Insert or upsert rows',
  description:
    'The body is one row or an array of rows; all are inserted or none. 201 with the rows, 200 when an upsert ' +
    'changed existing rows only.',
  bodyBytesMax: ROWS_BODY_BYTES_MAX,
  example: { title: 'Write the second endpoint' },
  documented: {
    parameters: [SELECT, COLUMNS, ON_CONFLICT, PREFER, CONTENT_PROFILE],
    request: ROWS_IN,
    answers: {
      200: { description: 'The rows: an upsert made no new one', content: ROWS },
      201: { description: 'The rows; none with `Prefer: return=minimal`', content: ROWS },
    },
  },
}

export const UPDATE_ROWS = {
  summary: 'Change the rows that match a filter',
  description: 'Needs at least one filter. The body holds the columns to set. 200 with the changed rows.',
  bodyBytesMax: ROWS_BODY_BYTES_MAX,
  example: { done: true },
  documented: {
    parameters: [REQUIRED_FILTERS, SELECT, COLUMNS, PREFER, CONTENT_PROFILE],
    request: { ...ROWS_IN, 'application/json': Row },
    answers: { 200: { description: 'The changed rows', content: ROWS }, 204: NO_BODY },
  },
}

export const PUT_ROW = {
  summary: 'Make the row of a key, or set it',
  description:
    'The filters name the row by its whole primary key, each column with `eq`; the body is that row. It is inserted, ' +
    'or the columns of the body are set.',
  bodyBytesMax: ROWS_BODY_BYTES_MAX,
  example: { id: 1, title: 'Read the three curl lines', done: true },
  documented: {
    parameters: [REQUIRED_FILTERS, SELECT, COLUMNS, PREFER, CONTENT_PROFILE],
    request: { ...ROWS_IN, 'application/json': Row },
    answers: {
      200: { description: 'The row, which was there', content: ROWS },
      201: { description: 'The row, which is new', content: ROWS },
      204: NO_BODY,
    },
  },
}

export const DELETE_ROWS = {
  summary: 'Delete the rows that match a filter',
  description: 'Needs at least one filter. 200 with the rows as they were.',
  documented: {
    parameters: [REQUIRED_FILTERS, SELECT, PREFER, CONTENT_PROFILE],
    answers: { 200: { description: 'The rows as they were', content: ROWS }, 204: NO_BODY },
  },
}
