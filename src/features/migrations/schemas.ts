// Migrations as callers see them (Spec, Migration status entry; Dashboard API: migrations).

import * as z from 'zod'
import { MigrationFinding } from './findings/schemas.ts'
import { DetectedFrameworks } from './frameworks/detect-frameworks.ts'

const HASH = 'f2ca1bb6c7e907d06dafe4687e579fce76b37e4e93b7605022da52e6ccc26fd2'

const ENTRY = {
  name: '0001_create-notes.cjs',
  state: 'applied',
  applied_at: '2026-01-31T12:00:00.000Z',
  stored_hash: HASH,
  file_hash: HASH,
  problem: null,
} as const

export const MigrationStatusEntry = z
  .object({
    name: z
      .string()
      .describe(
        "the file's name; of a pair what both names have in common, as `0001_x`; of Prisma's and Diesel's the " +
          "folder's; of an orphaned migration the name without an ending, as it is recorded",
      ),
    state: z
      .enum(['applied', 'pending', 'modified', 'orphaned'])
      .describe(
        'modified: the file was changed after it was applied. orphaned: applied, and the file is gone',
      ),
    applied_at: z.iso.datetime().nullable(),
    stored_hash: z
      .string()
      .nullable()
      .describe(
        "SHA-256 of the file when it was applied; null where node-pg-migrate's command line applied it",
      ),
    file_hash: z.string().describe('SHA-256 of the file as it is now; empty for an orphaned migration'),
    problem: z.string().nullable().describe('why the file cannot run, told without running it'),
  })
  .meta({ id: 'MigrationStatusEntry', examples: [ENTRY] })
export type MigrationStatusEntry = z.infer<typeof MigrationStatusEntry>

export const MigrationStatus = z
  .object({
    migrations: z
      .array(MigrationStatusEntry)
      .describe('files in the order in which they run, then orphaned ones'),
    ...DetectedFrameworks.shape,
    summary: z.object({
      applied: z.int(),
      pending: z.int(),
      modified: z.int(),
      orphaned: z.int(),
    }),
  })
  .meta({
    id: 'MigrationStatus',
    examples: [
      {
        migrations: [ENTRY],
        framework: "JavaScript migration library (the service's own)",
        tracking_table: 'public.pgmigrations',
        detected_tables: [
          {
            schema: 'public',
            table: 'pgmigrations',
            framework: "JavaScript migration library (the service's own)",
          },
        ],
        summary: { applied: 1, pending: 0, modified: 0, orphaned: 0 },
      },
    ],
  })
export type MigrationStatus = z.infer<typeof MigrationStatus>

export const RunRequest = z
  .strictObject({
    migrations: z
      .array(z.string().min(1))
      .max(1_000)
      .optional()
      .describe(
        'names of pending files, which run in the order of the folder; left out: all that are pending',
      ),
  })
  .meta({ id: 'MigrationRunRequest', examples: [{ migrations: ['0001_create-notes.cjs'] }] })

const RunPart = z
  .object({
    migrations: z.array(z.string()),
    in_transaction: z
      .boolean()
      .describe(
        'false: one migration that asked for none, whose statements are each committed by themselves',
      ),
  })
  .meta({ id: 'MigrationRunPart' })

const AppliedMigration = z.object({ name: z.string(), hash: z.string() })

export const RunResult = z
  .object({
    ok: z.boolean(),
    summary: z.string().describe('what happened, as a sentence'),
    applied: z
      .array(AppliedMigration)
      .describe('what is committed; of a run in one part nothing where it fails'),
    failed: z
      .object({
        name: z.string(),
        error: z.string().describe("Postgres' own message, or what is wrong with the file"),
        statement: z.string().describe('the statement that failed, cut to 400 characters around the place'),
        line: z.int().nullable().describe('line in a .sql file'),
        code: z.string().nullable().describe('SQLSTATE'),
        detail: z.string().nullable(),
        hint: z.string().nullable(),
      })
      .nullable(),
    outside_transaction: z
      .array(z.string())
      .describe('those of `applied` that ran outside of a transaction, because their files ask for it'),
    parts: z
      .array(RunPart)
      .describe('what was to run, as it is committed: each part before the next one begins'),
  })
  .meta({
    id: 'MigrationRunResult',
    examples: [
      {
        ok: true,
        summary: 'Applied 1 migration.',
        applied: [{ name: '0001_create-notes.cjs', hash: HASH }],
        failed: null,
        outside_transaction: [],
        parts: [{ migrations: ['0001_create-notes.cjs'], in_transaction: true }],
      },
    ],
  })
export type RunResult = z.infer<typeof RunResult>

export const MigrationFileName = z.string().min(1).describe("the migration's name, as the status lists it")

export const MigrationChoice = z
  .strictObject({ migration: MigrationFileName })
  .meta({ id: 'MigrationChoice', examples: [{ migration: '0001_create-notes.cjs' }] })

export const MigrationPreview = z
  .object({
    filename: z.string(),
    content: z.string(),
    lines: z.int(),
    tool: z
      .string()
      .nullable()
      .describe('the migration tool whose marks divide a .sql file; null where nothing divides it'),
    applied_lines: z
      .array(z.object({ first: z.int(), last: z.int() }))
      .describe('the lines that a run applies, from 1; empty where it is not certain which'),
  })
  .meta({
    id: 'MigrationPreview',
    examples: [
      {
        filename: '0002_add-tag.sql',
        content:
          '-- +goose Up\nalter table notes add tag text;\n-- +goose Down\nalter table notes drop tag;\n',
        lines: 4,
        tool: 'goose',
        applied_lines: [{ first: 2, last: 2 }],
      },
    ],
  })
export type MigrationPreview = z.infer<typeof MigrationPreview>

export const SafetyCheck = z
  .object({
    database: z.string(),
    user: z.string(),
    pendingCount: z.int(),
    pendingFiles: z.array(z.string()),
    outsideTransaction: z
      .array(z.string())
      .describe('those of `pendingFiles` that run outside a transaction, each on its own'),
    parts: z
      .array(RunPart)
      .describe('`pendingFiles` as a run of all commits them: each part before the next one begins'),
    lockCount: z.int().describe('locks that somebody waits for'),
    activeTxCount: z.int().describe('transactions that are under way, also those that do nothing just now'),
    warnings: z
      .array(z.string())
      .describe('reasons to wait: locks, more than three transactions, nothing to run'),
    safe: z.boolean().describe('no warnings; `findings` do not count'),
    findings: z
      .array(MigrationFinding)
      .describe('what the pending statements would lock, rewrite or destroy'),
  })
  .meta({
    id: 'MigrationCheck',
    examples: [
      {
        database: 'quoin',
        user: 'quoin_owner',
        pendingCount: 1,
        pendingFiles: ['0001_create-notes.cjs'],
        outsideTransaction: [],
        parts: [{ migrations: ['0001_create-notes.cjs'], in_transaction: true }],
        lockCount: 0,
        activeTxCount: 1,
        warnings: [],
        safe: true,
        findings: [],
      },
    ],
  })
export type SafetyCheck = z.infer<typeof SafetyCheck>
