// Migrations: what is in the folder migrations/ and in the database.

import { checkSafety } from '../features/migrations/check-safety.ts'
import { detectSchema } from '../features/migrations/detect-schema/detect-schema.ts'
import { SchemaQuestion, SchemaReport } from '../features/migrations/detect-schema/schemas.ts'
import { previewMigration } from '../features/migrations/preview.ts'
import { readMigrationStatus } from '../features/migrations/read-status.ts'
import { acceptMigration, markApplied, runMigrations } from '../features/migrations/run-migrations.ts'
import {
  MigrationChoice,
  MigrationFileName,
  MigrationPreview,
  MigrationStatus,
  MigrationStatusEntry,
  RunRequest,
  RunResult,
  SafetyCheck,
} from '../features/migrations/schemas.ts'
import { defineRoute } from '../http/route.ts'

/** The text of a migration as JSON. */
const SQL_BYTES_MAX = 8 * 1024 * 1024

const EXAMPLE = '0001_create-notes.cjs'

export const migrationRoutes = [
  defineRoute({
    id: 'migrations.check',
    method: 'post',
    mounts: { '/api/migrations/check': 'session' },
    summary: 'Say whether now is a good moment to migrate, and what would happen',
    description:
      'No SQL is run. The code of all .cjs files is evaluated in the Worker, and `up` of pending ones is called, for ' +
      'the SQL that they make. One that changes anything outside of itself is not analysed, nor is what depends on ' +
      'answers of the database. Statements are read up to bounds, and a finding says where they end.',
    response: SafetyCheck,
    unaudited: 'no_change',
    handle: ({ deps }) => checkSafety(deps),
  }),
  defineRoute({
    id: 'migrations.preview',
    method: 'get',
    mounts: { '/api/migrations/preview/:filename': 'session' },
    params: { filename: MigrationFileName },
    summary: 'Read a migration',
    response: MigrationPreview,
    handle: async ({ deps, params }) => previewMigration(deps, params.filename),
  }),
  defineRoute({
    id: 'migrations.status',
    method: 'get',
    mounts: { '/api/migrations/idempotent/status': 'session' },
    summary: 'List migrations with their state, and the tracking tables of the database',
    description: "Quoin's own migrations are not among them; `GET /v1/status` says when one is missing.",
    response: MigrationStatus,
    handle: ({ deps }) => readMigrationStatus(deps),
  }),
  defineRoute({
    id: 'migrations.run',
    method: 'post',
    mounts: { '/api/migrations/idempotent/run': 'session' },
    summary: 'Run pending migrations, all or none',
    description:
      'All that are pending, or those that are named, in the order of the folder and in one transaction: .sql and ' +
      '.cjs files alike. The code of .cjs files is evaluated in the Worker. A file that asks for none, by ' +
      '`-- quoin:no-transaction` or `pgm.noTransaction()`, splits the run: what comes before it is committed, it ' +
      'runs by itself, and the rest goes on behind it. A migration that ' +
      'fails is an answer with `ok: false`, and `applied` has what is committed. One run at a time: a second one is ' +
      '409 with who holds the lock. A statement waits 5 s at most for a lock.',
    body: RunRequest.optional(),
    example: { migrations: [EXAMPLE] },
    response: RunResult,
    handle: ({ deps, caller, body }) => runMigrations(deps, caller, body?.migrations),
  }),
  defineRoute({
    id: 'migrations.mark_applied',
    method: 'post',
    mounts: { '/api/migrations/idempotent/mark-applied': 'session' },
    summary: 'Record a pending migration as applied without running it',
    description: 'For what is in the database already, as `detect-schema` tells.',
    body: MigrationChoice,
    example: { migration: EXAMPLE },
    response: MigrationStatusEntry,
    handle: ({ deps, caller, body }) => markApplied(deps, caller, body.migration),
  }),
  defineRoute({
    id: 'migrations.accept',
    method: 'post',
    mounts: { '/api/migrations/idempotent/accept': 'session' },
    summary: 'Take the file of an applied migration as it is now',
    description: 'It is not run. Its state is no longer `modified`.',
    body: MigrationChoice,
    example: { migration: EXAMPLE },
    response: MigrationStatusEntry,
    handle: ({ deps, caller, body }) => acceptMigration(deps, caller, body.migration),
  }),
  defineRoute({
    id: 'migrations.detect_schema',
    method: 'post',
    mounts: { '/api/migrations/idempotent/detect-schema': 'session' },
    summary: 'Say which objects of a migration exist already',
    description:
      'Of tables, indexes, functions and types that the SQL creates. It is read by Postgres’ own parser and not run. ' +
      'Names without a schema are looked for where the migration would create them: in `public`, or as its SET ' +
      'search_path says. Functions are told apart by their argument types. The content of an object is not compared, ' +
      'and objects that are dropped or renamed later in the SQL are not followed. INSERTs are passed over. At most ' +
      '10 000 objects, 16 schemas in a search_path, and about a mebibyte of CREATE statements.',
    body: SchemaQuestion,
    bodyBytesMax: SQL_BYTES_MAX,
    example: { sql: 'create table public.notes (id int primary key)' },
    response: SchemaReport,
    unaudited: 'no_change',
    handle: ({ deps, body }) => detectSchema(deps, body.sql),
  }),
]
