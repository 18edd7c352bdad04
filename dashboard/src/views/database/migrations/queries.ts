import { queryOptions } from '@tanstack/react-query'
import { answerOf, api, patientApi, type Schema } from '../../../api/client.ts'
import { queryClient } from '../../../api/query-client.ts'

export type Migration = Schema<'MigrationStatusEntry'>
export type MigrationStatus = Schema<'MigrationStatus'>
export type MigrationCheck = Schema<'MigrationCheck'>
export type Finding = Schema<'MigrationFinding'>
export type RunResult = Schema<'MigrationRunResult'>
export type SchemaReport = Schema<'SchemaReport'>

export const statusQuery = queryOptions({
  queryKey: ['migrations', 'status'],
  queryFn: ({ signal }) => answerOf(api.GET('/api/migrations/idempotent/status', { signal })),
})

/** Looks at the database as it is now, and evaluates the pending files; it runs none. */
export const checkQuery = queryOptions({
  queryKey: ['migrations', 'check'],
  queryFn: ({ signal }) => answerOf(api.POST('/api/migrations/check', { signal })),
  // A moment passes: what is shown is what was asked for last, with its time.
  staleTime: 60_000,
})

export function previewQuery(name: string) {
  return queryOptions({
    queryKey: ['migrations', 'preview', name],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET('/api/migrations/preview/{filename}', { params: { path: { filename: name } }, signal }),
      ),
  })
}

const readAgain = () => queryClient.invalidateQueries({ queryKey: ['migrations'] })

/** It may take minutes. A migration that fails is an answer. */
export async function runMigrations(names: string[]): Promise<RunResult> {
  try {
    return await answerOf(patientApi.POST('/api/migrations/idempotent/run', { body: { migrations: names } }))
  } finally {
    // Also when no answer came: what became of the run is in the status.
    void readAgain()
  }
}

export async function markApplied(name: string): Promise<void> {
  await answerOf(api.POST('/api/migrations/idempotent/mark-applied', { body: { migration: name } }))
  void readAgain()
}

export async function acceptMigration(name: string): Promise<void> {
  await answerOf(api.POST('/api/migrations/idempotent/accept', { body: { migration: name } }))
  void readAgain()
}

/** Nothing of the SQL is run. */
export function detectSchema(sql: string): Promise<SchemaReport> {
  return answerOf(api.POST('/api/migrations/idempotent/detect-schema', { body: { sql } }))
}
