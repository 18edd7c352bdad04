// What is in the database.

import * as z from 'zod'
import { anonCaller } from '../features/callers/database-caller.ts'
import { listTables } from '../features/catalog/list-tables.ts'
import { readSchema } from '../features/catalog/read-schema.ts'
import { readTable } from '../features/catalog/read-table.ts'
import { DatabaseTables } from '../features/catalog/schemas.ts'
import { DatabaseSchema, TableStructure } from '../features/catalog/structure.ts'
import { readDatabaseTypes } from '../features/database-types/read-database-types.ts'
import { TryAsRequest, TryAsResponse } from '../features/try-as/schemas.ts'
import { tryAs } from '../features/try-as/try-as.ts'
import { defineRoute, jsonText } from '../http/route.ts'
import { NoQuery } from '../lib/no-query.ts'

const ACCESS =
  '`access` says which rows anon and service_role reach by each command, with policies counted in: none, some or all.'

export const databaseRoutes = [
  defineRoute({
    id: 'database.tables',
    method: 'get',
    mounts: { '/api/database/tables': 'admin' },
    summary: 'Tables and views with their columns and keys, and what anon reaches of them',
    description: 'Those of the schemas that `/v1/db` serves, whether granted to a role or not.',
    query: NoQuery,
    response: DatabaseTables,
    handle: ({ deps }) => listTables(deps),
  }),
  defineRoute({
    id: 'database.schema',
    method: 'get',
    mounts: { '/v1/database/schema': 'service_role', '/api/database/schema': 'admin' },
    summary: 'Tables, views, functions and types, with keys, indexes, triggers and policies',
    description:
      'Of the schemas that `/v1/db` serves, granted to a role or not. Foreign keys are listed both ways, also ' +
      `to and from tables of other schemas. ${ACCESS}`,
    query: NoQuery,
    response: DatabaseSchema,
    handle: ({ deps }) => readSchema(deps),
  }),
  defineRoute({
    id: 'database.table',
    method: 'get',
    mounts: {
      '/v1/database/tables/:schema/:table': 'service_role',
      '/api/database/tables/:schema/:table': 'admin',
    },
    params: {
      schema: z
        .string()
        .describe('One of those that `/v1/db` serves')
        .meta({ examples: ['public'] }),
      table: z
        .string()
        .describe('A table or a view')
        .meta({ examples: ['todos'] }),
    },
    summary: 'One table, in full',
    description: `As /v1/database/schema has it. ${ACCESS}`,
    query: NoQuery,
    response: TableStructure,
    handle: ({ deps, params }) => readTable(deps, { schema: params.schema, name: params.table }),
  }),
  defineRoute({
    id: 'database.types',
    method: 'get',
    mounts: { '/api/database/types': 'admin' },
    summary: 'The schema as a file of TypeScript for supabase-js',
    description:
      'What `createClient<Database>` takes: tables, views, functions, enums and composite types of the schemas that ' +
      '`/v1/db` serves, granted to a role or not, so that embeds and calls have types. `npm run types:database` ' +
      'writes the same.',
    query: NoQuery,
    documented: {
      answers: {
        200: {
          description: 'The file',
          content: { 'text/plain': z.string().meta({ examples: ['export type Database = { ... }\n'] }) },
        },
      },
    },
    handle: async ({ deps }) => ({
      status: 200,
      headers: { 'content-type': 'text/plain; charset=utf-8' },
      body: await readDatabaseTypes(deps),
    }),
  }),
  defineRoute({
    id: 'database.try_as',
    method: 'post',
    mounts: { '/api/database/try-as': 'admin' },
    summary: 'Run a query as anon or as a person, and see which policies let each row pass',
    description:
      'The query runs as with an anon key, in a read-only transaction, for at most 2 s and 100 rows. Where it is a ' +
      'plain read of one table, each policy is asked about each row in the same transaction and under the same ' +
      'rights. A policy that cannot be evaluated so says why, and the rows show all the same. The audit log keeps ' +
      'the text, up to 8 KiB, and the claims.',
    body: TryAsRequest,
    example: { sql: 'select * from todos', as: { kind: 'anon' } },
    response: TryAsResponse,
    handle: async input => {
      const { deps, caller, body } = input
      return jsonText(await tryAs(deps, caller, claims => anonCaller(input, claims), body))
    },
  }),
]
