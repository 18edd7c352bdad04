// What callers of /v1/sql send and get. Numbers without `Spec` beside them are ours.

import * as z from 'zod'
import { DomainError } from '../../errors.ts'
import { LOSS_KINDS } from './losses.ts'

export const ROW_LIMIT_DEFAULT = 1_000
export const ROW_LIMIT_MAX = 10_000
export const TIMEOUT_MS_DEFAULT = 10_000
export const TIMEOUT_MS_MAX = 30_000
/** Spec, Limits. */
export const STATEMENTS_MAX = 20
/** Parameters may be long arrays: `unnest($1::int[])` is how many rows are written. */
export const BODY_VALUES_MAX = 250_000
/** Postgres counts the parameters of a statement in 16 bits. */
export const PARAMETERS_MAX = 65_535

const Sql = z
  .string()
  .describe(
    'One SQL statement; parameters are $1, $2, ... Its text may have 262144 bytes, over all statements of a ' +
      'transaction, unless the deployment sets SQL_TEXT_BYTES_MAX.',
  )
  .meta({ examples: ['select $1::int + 1 as sum'] })

const Params = z
  .array(z.unknown())
  .max(PARAMETERS_MAX)
  .default([])
  .describe(
    'Values of $1, $2, ...: strings, numbers, booleans and null as they are, arrays as Postgres arrays, ' +
      'objects as JSON. Integers beyond 2^53, decimals that must be exact, and JSON arrays go as strings.',
  )
  .meta({ examples: [[41]] })

const RowLimit = z
  .int()
  .min(1)
  .max(ROW_LIMIT_MAX)
  .default(ROW_LIMIT_DEFAULT)
  .describe(
    'Most rows in the answer. A SELECT or VALUES is not read beyond them; every other statement runs to its end.',
  )

const Timeout = z
  .int()
  .min(1)
  .max(TIMEOUT_MS_MAX)
  .default(TIMEOUT_MS_DEFAULT)
  .describe('Milliseconds after which the call is cancelled and rolled back: 504, SQLSTATE 57014.')

export const SqlRequest = z
  .strictObject({ sql: Sql, params: Params, row_limit: RowLimit, timeout: Timeout })
  .meta({ id: 'SqlRequest' })
export type SqlRequest = z.output<typeof SqlRequest>

/** Before any of them is looked at: zod makes an issue of each wrong one, and cannot hold 200 000. */
function refuseTooMany(statements: unknown): unknown {
  if (!Array.isArray(statements) || statements.length <= STATEMENTS_MAX) return statements
  throw new DomainError('too_many_statements', `A transaction takes at most ${STATEMENTS_MAX} statements.`, {
    detail: `${statements.length} were sent.`,
    hint: 'Send several transactions, or one statement over many rows: INSERT ... SELECT FROM unnest($1::int[]).',
  })
}

export const SqlTransactionRequest = z
  .strictObject({
    statements: z
      .preprocess(refuseTooMany, z.array(z.strictObject({ sql: Sql, params: Params })))
      .describe(`1 to ${STATEMENTS_MAX} statements, run in order in one transaction.`)
      .meta({ minItems: 1, maxItems: STATEMENTS_MAX }),
    row_limit: RowLimit.describe('As for /v1/sql; holds for each statement.'),
    timeout: Timeout.describe('As for /v1/sql; holds for the whole transaction.'),
  })
  .meta({ id: 'SqlTransactionRequest' })
export type SqlTransactionRequest = z.output<typeof SqlTransactionRequest>

export const SqlColumn = z
  .object({
    name: z
      .string()
      .describe('Key in the rows. A second column of the same name is called name_2, and so on.'),
    dataTypeID: z.int().describe('Oid of the type; of a domain, the type beneath it.'),
    typeName: z
      .string()
      .describe('pg_type.typname; arrays begin with an underscore. "unknown" for a type that is gone.'),
  })
  .meta({ id: 'SqlColumn' })

export const SqlResponse = z
  .object({
    rows: z
      .array(z.record(z.string(), z.unknown()))
      .describe(
        'int2, int4, oid and floats as numbers (NaN and infinities as strings), int8, numeric and money as ' +
          'strings, json as JSON, arrays as arrays, timestamps as ISO 8601 with microseconds, bytea as \\x ' +
          'hex, all else as Postgres prints it.',
      ),
    rowCount: z
      .int()
      .describe('Of a SELECT or VALUES the rows returned; of other statements the rows affected.'),
    columns: z.array(SqlColumn),
    command: z.string().describe('Command tag of the statement: SELECT, INSERT, CREATE TABLE, ...'),
    truncated: z.literal(true).optional().describe('There, and true, when row_limit cut rows off.'),
  })
  .meta({
    id: 'SqlResponse',
    examples: [
      {
        rows: [{ sum: 42 }],
        rowCount: 1,
        columns: [{ name: 'sum', dataTypeID: 23, typeName: 'int4' }],
        command: 'SELECT',
      },
    ],
  })

export const SqlTransactionResponse = z
  .object({
    results: z.array(SqlResponse).describe('One answer per statement, in order.'),
  })
  .meta({ id: 'SqlTransactionResponse' })

export const SqlCheckRequest = z
  .strictObject({
    sql: z
      .string()
      .describe(`Up to ${STATEMENTS_MAX} SQL statements. The text may have as many bytes as at /v1/sql.`)
      .meta({ examples: ['delete from drafts; select 1'] }),
  })
  .meta({ id: 'SqlCheckRequest' })
export type SqlCheckRequest = z.output<typeof SqlCheckRequest>

export const SqlLoss = z
  .object({
    kind: z
      .enum(LOSS_KINDS)
      .describe(
        'delete_rows, update_rows and merge_rows: all rows, since no condition names a column. change_type: values ' +
          'may be rounded or cut.',
      ),
    object_kind: z.string().describe('table, view, schema, function, ...'),
    object: z.string().describe('The name as it is written; of an existing table, with its schema.'),
    part: z.string().nullable().describe('The column or the constraint, where only that is lost.'),
    cascades: z
      .boolean()
      .describe('CASCADE is written, or a foreign key deletes rows of other tables with these.'),
    rows: z
      .int()
      .nullable()
      .describe(
        'Rows that are lost or changed; null where there are none to lose, or the number is unknown.',
      ),
    rows_exact: z
      .boolean()
      .describe(
        'false: an estimate, of more than 100000 rows, of a table that may not be read or takes long.',
      ),
  })
  .meta({ id: 'SqlLoss' })
export type SqlLoss = z.output<typeof SqlLoss>

export const SqlCheckResponse = z
  .object({
    statements: z
      .array(
        z.object({
          sql: z.string().describe('The statement with the comments before it, without its semicolon.'),
          offset: z.int().describe('UTF-16 units before it in the text that was sent.'),
          opaque: z.boolean().describe('DO or CALL: what the code does is not seen.'),
          losses: z.array(SqlLoss),
        }),
      )
      .describe('In order; none for a text of blanks and comments.'),
  })
  .meta({
    id: 'SqlCheckResponse',
    examples: [
      {
        statements: [
          {
            sql: 'delete from drafts',
            offset: 0,
            opaque: false,
            losses: [
              {
                kind: 'delete_rows',
                object_kind: 'table',
                object: 'public.drafts',
                part: null,
                cascades: false,
                rows: 12,
                rows_exact: true,
              },
            ],
          },
          { sql: 'select 1', offset: 20, opaque: false, losses: [] },
        ],
      },
    ],
  })
export type SqlCheckResponse = z.output<typeof SqlCheckResponse>

/** A transaction, as a route declares it. */
export const RUN_TRANSACTION = {
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
}

/** One statement, as a route declares it. */
export const RUN_SQL = {
  summary: 'Run one SQL statement',
  description:
    'Runs in a transaction of its own; what it sets in its session is gone after it. A SELECT, VALUES or ' +
    'TABLE is read only as far as row_limit; every other statement runs to its end and only the answer is ' +
    'cut. Not allowed: transaction control, PREPARE, EXECUTE, DEALLOCATE, DISCARD, LISTEN, LOAD, COPY, ' +
    'SET SESSION AUTHORIZATION.',
  body: SqlRequest,
  bodyValuesMax: BODY_VALUES_MAX,
  example: { sql: 'select * from todos where done = $1', params: [false], row_limit: 10 },
  response: SqlResponse,
}
