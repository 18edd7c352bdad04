// What is in the database.

import { listTables } from '../features/catalog/list-tables.ts'
import { DatabaseTables } from '../features/catalog/schemas.ts'
import { defineRoute } from '../http/route.ts'

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
]
