// What is tried as somebody else, and what comes of it.

import * as z from 'zod'
import { SqlResponse } from '../sql/schemas.ts'

export const ROWS_MAX = 100
export const TIMEOUT_MS = 2_000
/** Policies of one table that are asked about each row. */
export const POLICIES_MAX = 50
const CLAIMS_LENGTH_MAX = 8_192

const TryAsPerson = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('anon') }).describe('A key alone, nobody signed in'),
  z
    .strictObject({ kind: z.literal('identity'), identity_id: z.string().min(1).max(255) })
    .describe('A person, with the claims that an access token of theirs has'),
  z
    .strictObject({
      kind: z.literal('claims'),
      claims: z
        .record(z.string(), z.unknown())
        .refine(claims => JSON.stringify(claims).length <= CLAIMS_LENGTH_MAX, {
          message: `Claims have at most ${CLAIMS_LENGTH_MAX} characters of JSON.`,
        }),
    })
    .describe('These claims; `role` among them is that of the call'),
])
export type TryAsPerson = z.output<typeof TryAsPerson>

export const TryAsRequest = z
  .strictObject({
    sql: z
      .string()
      .describe('One SELECT, VALUES or TABLE')
      .meta({ examples: ['select * from todos'] }),
    as: TryAsPerson,
  })
  .meta({ id: 'TryAsRequest' })
export type TryAsRequest = z.output<typeof TryAsRequest>

export const MARKS = [
  'made',
  'not_one_table',
  'no_row_level_security',
  'columns_only',
  'out_of_time',
  'failed',
] as const

const TriedPolicy = z.object({
  name: z.string(),
  permissive: z.boolean(),
  using: z.string().nullable(),
  error: z
    .object({ code: z.string().describe('SQLSTATE'), message: z.string() })
    .nullable()
    .describe('why its expression could not be evaluated as this caller'),
})
export type TriedPolicy = z.infer<typeof TriedPolicy>

export const TryAsResponse = z
  .object({
    claims: z.record(z.string(), z.unknown()).describe('what policies read of the caller'),
    result: SqlResponse,
    marks: z
      .enum(MARKS)
      .describe(
        'Whether each row has its policies. not_one_table: the query is no plain read of one table, or has an ' +
          'OFFSET. no_row_level_security: no policy decides about these rows. columns_only: the role may read some ' +
          'columns of the table alone, so its rows cannot be told apart.',
      ),
    table: z.object({ schema: z.string(), table: z.string() }).nullable(),
    policies: z.array(TriedPolicy).describe('those for SELECT that hold for the role'),
    row_policies: z
      .array(z.array(z.string()).nullable())
      .describe(
        'for each row, the policies whose expression holds for it; null where the row could not be asked',
      ),
  })
  .meta({
    id: 'TryAsResponse',
    examples: [
      {
        claims: { role: 'anon' },
        result: {
          rows: [{ id: 1, title: 'Water the plants' }],
          rowCount: 1,
          columns: [
            { name: 'id', dataTypeID: 23, typeName: 'int4' },
            { name: 'title', dataTypeID: 25, typeName: 'text' },
          ],
          command: 'SELECT',
        },
        marks: 'made',
        table: { schema: 'public', table: 'todos' },
        policies: [{ name: 'todos_read', permissive: true, using: 'is_public', error: null }],
        row_policies: [['todos_read']],
      },
    ],
  })
export type TryAsResponse = z.infer<typeof TryAsResponse>
