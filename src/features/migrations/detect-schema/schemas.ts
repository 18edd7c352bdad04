// What callers of detect-schema send and get.

import * as z from 'zod'

export const SchemaQuestion = z
  .strictObject({
    sql: z.string().describe('the text of a migration; nothing of it is run'),
  })
  .meta({ id: 'SchemaQuestion' })

const SchemaFinding = z.object({
  type: z.enum(['table', 'index', 'function', 'type']),
  name: z
    .string()
    .describe('as Postgres reads it, in quotes where it needs them, with its schema where the SQL says it'),
  exists: z.boolean(),
})
export type SchemaFinding = z.infer<typeof SchemaFinding>

export const SchemaReport = z
  .object({
    findings: z.array(SchemaFinding),
    all_objects_exist: z
      .boolean()
      .describe('false where nothing was found, and where something could not be looked for'),
    some_objects_exist: z.boolean().describe('at least one does'),
    recommendation: z.string().describe('what to do next, and what was not looked for'),
  })
  .meta({
    id: 'SchemaReport',
    examples: [
      {
        findings: [
          { type: 'table', name: 'public.notes', exists: true },
          { type: 'index', name: 'notes_author_idx', exists: true },
        ],
        all_objects_exist: true,
        some_objects_exist: true,
        recommendation: 'All 2 objects exist: mark the migration as applied.',
      },
    ],
  })
export type SchemaReport = z.infer<typeof SchemaReport>
