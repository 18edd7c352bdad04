// /api/migrations: what is in the folder migrations/ and in the database, for the dashboard.

import { detectSchema } from '../../features/migrations/detect-schema/detect-schema.ts'
import { SchemaQuestion, SchemaReport } from '../../features/migrations/detect-schema/schemas.ts'
import { defineRoute } from '../../http/route.ts'

/** The text of a migration as JSON. */
const SQL_BYTES_MAX = 8 * 1024 * 1024

export const migrationRoutes = [
  defineRoute({
    id: 'migrations.detect_schema',
    method: 'post',
    path: '/api/migrations/idempotent/detect-schema',
    auth: 'session',
    summary: 'Say which objects of a migration exist already',
    description:
      'Of tables, indexes, functions and types that the SQL creates. It is read by Postgres’ own parser and not run. ' +
      'Names without a schema are looked for where the migration would create them: in `public`, or as its SET ' +
      'search_path says. Functions are told apart by their argument types. What stands in an object is not compared, ' +
      'and objects that are dropped or renamed later in the SQL are not followed. At most 50 000 statements and ' +
      '10 000 objects.',
    body: SchemaQuestion,
    bodyBytesMax: SQL_BYTES_MAX,
    example: { sql: 'create table public.notes (id int primary key)' },
    response: SchemaReport,
    handle: ({ deps, body }) => detectSchema(deps, body.sql),
  }),
]
