// The schema as it is described: every table with its keys, indexes, triggers, policies and who reaches which rows, and
// the functions and types beside them.

import * as z from 'zod'
import {
  AccessByCommand,
  COLUMNS_MAX,
  COMMANDS,
  DatabaseTable,
  ENUM_VALUES_MAX,
  TABLE_EXAMPLE,
  TABLES_MAX,
  TEXT_LENGTH_MAX,
} from './schemas.ts'

/** Longer definitions and expressions are cut. */
export const EXPRESSION_LENGTH_MAX = 4_000
export const FUNCTIONS_MAX = 1_000
/** Enums, domains, and composite types. */
export const TYPES_MAX = 500

const Name = z.object({ schema: z.string(), table: z.string() })

const Check = z.object({
  name: z.string(),
  expression: z.string(),
  validated: z.boolean().describe('false: rows that were there before it need not meet it'),
})

const IncomingKey = z
  .object({
    name: z.string(),
    schema: z.string(),
    table: z.string(),
    columns: z.array(z.string()),
    references: z.array(z.string()).describe('the columns here'),
    one_to_one: z.boolean().describe('at most one row there refers to one here'),
  })
  .meta({ id: 'IncomingForeignKey' })

const Index = z
  .object({
    name: z.string(),
    definition: z.string(),
    unique: z.boolean(),
    primary_key: z.boolean(),
    valid: z.boolean().describe('false: it is being built, or its building failed'),
    size_bytes: z.int(),
    scans: z.int().describe('since the statistics were reset'),
  })
  .meta({ id: 'TableIndex' })

const Trigger = z
  .object({
    name: z.string(),
    definition: z.string(),
    enabled: z.boolean(),
    of_quoin: z.boolean().describe('made by Quoin, to watch the table for webhooks'),
  })
  .meta({ id: 'TableTrigger' })

export const Policy = z
  .object({
    name: z.string(),
    command: z.enum(['all', ...COMMANDS]),
    roles: z.array(z.string()).describe('`public` is everybody'),
    permissive: z.boolean().describe('true: one of these must hold; false: each of these must'),
    using: z.string().nullable().describe('what holds for the rows that may be seen or changed'),
    check: z.string().nullable().describe('what must hold for rows that are written; null: as `using`'),
  })
  .meta({ id: 'TablePolicy' })
export type Policy = z.infer<typeof Policy>

const ALL_ROWS = { rows: 'all', because: 'bypasses', policies: [], columns: null }

/** A table with all there is to tell. */
export const STRUCTURE_EXAMPLE = {
  ...TABLE_EXAMPLE,
  partition_of: null,
  unique_keys: [],
  checks: [],
  exclusions: [],
  referenced_by: [
    {
      name: 'comments_todo_id_fkey',
      schema: 'public',
      table: 'comments',
      columns: ['todo_id'],
      references: ['id'],
      one_to_one: false,
    },
  ],
  indexes: [
    {
      name: 'todos_pkey',
      definition: 'CREATE UNIQUE INDEX todos_pkey ON public.todos USING btree (id)',
      unique: true,
      primary_key: true,
      valid: true,
      size_bytes: 49152,
      scans: 812,
    },
  ],
  triggers: [],
  row_level_security_forced: false,
  policies: [
    {
      name: 'read_own',
      command: 'select',
      roles: ['anon'],
      permissive: true,
      using: '(owner_id = quoin.uid())',
      check: null,
    },
  ],
  view_definition: null,
  size_bytes: 147456,
  grants: { anon: ['select'], service_role: ['select', 'insert', 'update', 'delete'] },
  access: {
    ...TABLE_EXAMPLE.access,
    service_role: { select: ALL_ROWS, insert: ALL_ROWS, update: ALL_ROWS, delete: ALL_ROWS },
  },
}

export const TableStructure = DatabaseTable.extend({
  partition_of: Name.nullable(),
  unique_keys: z.array(z.object({ name: z.string(), columns: z.array(z.string()) })),
  checks: z.array(Check),
  exclusions: z
    .array(z.object({ name: z.string(), definition: z.string() }))
    .describe('no two rows may have values for which all of its operators hold'),
  referenced_by: z.array(IncomingKey).describe('foreign keys of any schema that refer to this table'),
  indexes: z.array(Index),
  triggers: z.array(Trigger),
  row_level_security_forced: z.boolean().describe('for the owner too'),
  policies: z.array(Policy),
  view_definition: z.string().nullable().describe('the query of a view or a materialized view'),
  size_bytes: z
    .int()
    .nullable()
    .describe('with indexes, and of a partitioned table with its partitions; null where nothing is stored'),
  grants: z
    .object({ anon: z.array(z.string()), service_role: z.array(z.string()) })
    .describe('privileges on the whole table, by itself or through public'),
  access: z
    .object({ anon: AccessByCommand, service_role: AccessByCommand })
    .describe('which rows each role reaches, by grants and policies; signed-in persons are anon with claims'),
}).meta({ id: 'TableStructure', examples: [STRUCTURE_EXAMPLE] })
export type TableStructure = z.infer<typeof TableStructure>

const SchemaFunction = z
  .object({
    schema: z.string(),
    name: z.string(),
    kind: z.enum(['function', 'procedure', 'aggregate', 'window']),
    arguments: z.string().describe('as SQL writes them, with defaults'),
    returns: z.string().nullable().describe('null for a procedure'),
    language: z.string(),
    volatility: z.enum(['immutable', 'stable', 'volatile']),
    security_definer: z.boolean().describe('runs with the rights of its owner'),
    comment: z.string().nullable(),
    extension: z.string().nullable().describe('the extension that it belongs to'),
    anon: z.boolean().describe('whether anon may call it'),
    service_role: z.boolean(),
  })
  .meta({ id: 'SchemaFunction' })

const SchemaEnum = z
  .object({
    schema: z.string(),
    name: z.string(),
    values: z.array(z.string()).nullable().describe(`in their order; null beyond ${ENUM_VALUES_MAX}`),
    comment: z.string().nullable(),
  })
  .meta({ id: 'SchemaEnum' })

const SchemaDomain = z
  .object({
    schema: z.string(),
    name: z.string(),
    type: z.string(),
    nullable: z.boolean(),
    default: z.string().nullable(),
    checks: z.array(Check),
    comment: z.string().nullable(),
  })
  .meta({ id: 'SchemaDomain' })

const CompositeType = z
  .object({
    schema: z.string(),
    name: z.string(),
    attributes: z.array(z.object({ name: z.string(), type: z.string() })),
    comment: z.string().nullable(),
  })
  .meta({ id: 'SchemaCompositeType' })

export const DatabaseSchema = z
  .object({
    tables: z.array(TableStructure).describe('by schema and name'),
    functions: z.array(SchemaFunction),
    enums: z.array(SchemaEnum),
    domains: z.array(SchemaDomain),
    composite_types: z.array(CompositeType),
    complete: z
      .boolean()
      .describe(
        `false: there are more than ${TABLES_MAX} tables, ${COLUMNS_MAX} columns, keys, indexes, triggers and ` +
          `policies of them, ${FUNCTIONS_MAX} functions, ${TYPES_MAX} enums, domains or composite types, or ` +
          'all of it is too long for one answer. Texts end ' +
          `after ${TEXT_LENGTH_MAX} characters, definitions and expressions after ${EXPRESSION_LENGTH_MAX}.`,
      ),
  })
  .meta({
    id: 'DatabaseSchema',
    examples: [
      {
        tables: [STRUCTURE_EXAMPLE],
        functions: [],
        enums: [],
        domains: [],
        composite_types: [],
        complete: true,
      },
    ],
  })
export type DatabaseSchema = z.infer<typeof DatabaseSchema>
