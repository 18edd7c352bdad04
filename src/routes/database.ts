// What is in the database.

import * as z from 'zod'
import { listTables } from '../features/catalog/list-tables.ts'
import { readSchema } from '../features/catalog/read-schema.ts'
import { readTable } from '../features/catalog/read-table.ts'
import { DatabaseTables } from '../features/catalog/schemas.ts'
import { DatabaseSchema, TableStructure } from '../features/catalog/structure.ts'
import { defineRoute } from '../http/route.ts'

const ACCESS =
  '`access` says which rows anon and service_role reach by each command, with policies counted in: none, some or all.'

export const databaseRoutes = [
  defineRoute({
    id: 'database.tables',
    method: 'get',
    mounts: { '/api/database/tables': 'admin' },
    summary: 'Tables and views with their columns, keys and grants',
    description: 'Those of the schemas that `/v1/db` serves, whether granted to a role or not.',
    response: DatabaseTables,
    handle: ({ deps }) => listTables(deps),
  }),
  defineRoute({
    id: 'database.schema',
    method: 'get',
    mounts: { '/v1/database/schema': 'service_role', '/api/database/schema': 'admin' },
    summary: 'Tables, functions and types, with keys, indexes, triggers and policies',
    description:
      'Of the schemas that `/v1/db` serves, granted to a role or not. Foreign keys are listed both ways, also ' +
      `to and from tables of other schemas. ${ACCESS}`,
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
    response: TableStructure,
    handle: ({ deps, params }) => readTable(deps, { schema: params.schema, name: params.table }),
  }),
]
