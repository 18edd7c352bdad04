// The database as it is described to people: tables with their columns and keys, and who may use them.

import * as z from 'zod'

const METHODS = ['GET', 'POST', 'PATCH', 'DELETE'] as const
const TableMethod = z.enum(METHODS)
export type TableMethod = z.infer<typeof TableMethod>

export const TableKind = z.enum(['table', 'view', 'materialized_view', 'foreign_table', 'partitioned_table'])
export type TableKind = z.infer<typeof TableKind>

/** Tables in one list; beyond them it says that it is not complete. */
export const TABLES_MAX = 500
/** Columns of all of them together. */
export const COLUMNS_MAX = 20_000
/** Of an enum with more labels none are listed: nobody chooses among so many. */
export const ENUM_VALUES_MAX = 500
/** Longer comments and defaults are cut. */
export const TEXT_LENGTH_MAX = 1_000

const TableColumn = z
  .object({
    name: z.string(),
    type: z.string().describe('as SQL writes it, with its schema unless that is pg_catalog'),
    nullable: z.boolean(),
    default: z
      .string()
      .nullable()
      .describe("an expression of SQL; its domain's where the column has none of its own"),
    generated: z.boolean().describe('Postgres alone gives the value: always an identity, or computed'),
    identity: z.enum(['always', 'by_default']).nullable(),
    computed_as: z.string().nullable().describe('the expression of a computed column'),
    comment: z.string().nullable(),
    enum_values: z
      .array(z.string())
      .nullable()
      .describe(`the labels of an enum in their order; null for other types, and beyond ${ENUM_VALUES_MAX}`),
  })
  .meta({ id: 'TableColumn' })

const FOREIGN_KEY_ACTIONS = ['no action', 'restrict', 'cascade', 'set null', 'set default'] as const

const ForeignKey = z
  .object({
    name: z.string(),
    columns: z.array(z.string()),
    references: z.object({ schema: z.string(), table: z.string(), columns: z.array(z.string()) }),
    one_to_one: z
      .boolean()
      .describe('the columns are unique in their own table: at most one of its rows refers to one there'),
    on_delete: z.enum(FOREIGN_KEY_ACTIONS),
    on_update: z.enum(FOREIGN_KEY_ACTIONS),
  })
  .meta({ id: 'ForeignKey' })

export const COMMANDS = ['select', 'insert', 'update', 'delete'] as const
export type Command = (typeof COMMANDS)[number]

const Access = z
  .object({
    rows: z.enum(['none', 'some', 'all']),
    because: z
      .enum([
        'no_grant',
        'not_possible',
        'no_policy',
        'no_reading',
        'policies',
        'no_row_level_security',
        'bypasses',
        'view_owner',
        'tables_below',
      ])
      .describe(
        'no_reading: a change goes by a filter, and the role may read nothing. bypasses: policies do not hold for ' +
          'the role. view_owner: all that the view shows, as its owner sees it. tables_below: the view asks as its ' +
          'caller, so rights and policies of the tables below decide.',
      ),
    policies: z.array(z.string()).describe('those that decide, by name'),
    columns: z.array(z.string()).nullable().describe('where the grant is for some columns alone: these'),
  })
  .meta({ id: 'TableAccess' })
export type Access = z.infer<typeof Access>

export const AccessByCommand = z
  .object({ select: Access, insert: Access, update: Access, delete: Access })
  .meta({ id: 'TableAccessByCommand' })
export type AccessByCommand = z.infer<typeof AccessByCommand>

const NO_ROWS = { rows: 'none', because: 'no_grant', policies: [], columns: null }

export const TABLE_EXAMPLE = {
  schema: 'public',
  name: 'todos',
  kind: 'table',
  comment: null,
  columns: [
    {
      name: 'id',
      type: 'bigint',
      nullable: false,
      default: "nextval('public.todos_id_seq'::regclass)",
      generated: false,
      identity: 'by_default',
      computed_as: null,
      comment: null,
      enum_values: null,
    },
    {
      name: 'owner_id',
      type: 'uuid',
      nullable: true,
      default: null,
      generated: false,
      identity: null,
      computed_as: null,
      comment: 'who may change it',
      enum_values: null,
    },
  ],
  primary_key: ['id'],
  foreign_keys: [
    {
      name: 'todos_owner_id_fkey',
      columns: ['owner_id'],
      references: { schema: 'public', table: 'owners', columns: ['id'] },
      one_to_one: false,
      on_delete: 'cascade',
      on_update: 'no action',
    },
  ],
  row_level_security: true,
  asks_as_caller: false,
  access: {
    anon: {
      select: { rows: 'some', because: 'policies', policies: ['read_own'], columns: null },
      insert: NO_ROWS,
      update: NO_ROWS,
      delete: NO_ROWS,
    },
  },
  readable: true,
  writable: ['POST', 'PATCH', 'DELETE'],
  rows_estimated: 1200,
}

export const DatabaseTable = z
  .object({
    schema: z.string(),
    name: z.string(),
    kind: TableKind,
    comment: z.string().nullable(),
    columns: z.array(TableColumn),
    primary_key: z
      .array(z.string())
      .describe('in the order of the key; of a view that takes rows the key as it shows it; empty: none'),
    foreign_keys: z.array(ForeignKey),
    row_level_security: z.boolean(),
    asks_as_caller: z.boolean().describe('a view with security_invoker'),
    access: z
      .object({ anon: AccessByCommand })
      .describe(
        'which rows an anon key reaches, by grants and policies; signed-in persons are anon with claims',
      ),
    readable: z.boolean().describe('whether GET /api/db/:table may read it'),
    writable: z.array(TableMethod).describe('the other methods that /api/db/:table takes of it'),
    rows_estimated: z.int().nullable().describe('as the planner has it; null where nothing is known'),
  })
  .meta({ id: 'DatabaseTable', examples: [TABLE_EXAMPLE] })
export type DatabaseTable = z.infer<typeof DatabaseTable>

export const DatabaseTables = z
  .object({
    tables: z.array(DatabaseTable).describe('by schema and name'),
    complete: z
      .boolean()
      .describe(
        `false: there are more than ${TABLES_MAX} tables, or than ${COLUMNS_MAX} columns and policies of them, or ` +
          'all of it is too long for one answer',
      )
      .meta({ examples: [true] }),
  })
  .meta({ id: 'DatabaseTables' })
export type DatabaseTables = z.infer<typeof DatabaseTables>
