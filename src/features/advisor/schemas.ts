// What the advisor answers: faults of the schema, worst first, each with what mends it.

import * as z from 'zod'

/** From the worst to the mildest: in this order findings are listed. */
export const LEVELS = ['error', 'warning', 'info'] as const
const Level = z.enum(LEVELS)
export type Level = z.infer<typeof Level>

const Category = z.enum(['security', 'performance'])

/** Findings of one check in an answer; the others are counted. */
export const FINDINGS_PER_CHECK_MAX = 100

const READINGS = ['rows', 'no_rows', 'refused', 'failed', 'timed_out', 'locked', 'not_tried'] as const
/** What came of reading a relation as anon. */
export type Reading = (typeof READINGS)[number]

const OBJECT_KINDS = [
  'table',
  'partitioned_table',
  'view',
  'materialized_view',
  'foreign_table',
  'index',
  'sequence',
  'function',
  'extension',
] as const
export type ObjectKind = (typeof OBJECT_KINDS)[number]

const part = z.string().nullable()

const AdvisorObject = z
  .object({
    schema: z.string(),
    name: z.string(),
    kind: z.enum(OBJECT_KINDS),
    table: part.describe('of an index'),
    column: part,
    policy: part,
    constraint: part,
  })
  .meta({ id: 'AdvisorObject' })

export const AdvisorFinding = z
  .object({
    key: z.string().describe('the same as long as the check and the object have their names'),
    check: z.string(),
    level: Level,
    category: Category,
    title: z.string(),
    object: AdvisorObject,
    owner: z.string().describe('the role whose rights the SQL needs; a migration has those of the owner'),
    size_bytes: z
      .int()
      .nullable()
      .describe('with indexes, partitions and large values; null for what holds no data'),
    rows_estimated: z.int().nullable(),
    reading: z
      .enum(READINGS)
      .nullable()
      .describe('what came of reading it as anon; null where the check does not depend on it'),
    reason: z.string(),
    sql: z.string().nullable().describe('mends it; null where `decide` has to be decided first'),
    decide: z.string().nullable().describe('what the SQL cannot know, or what it costs'),
  })
  .meta({ id: 'AdvisorFinding' })
export type AdvisorFinding = z.infer<typeof AdvisorFinding>

const AdvisorCheck = z
  .object({
    id: z.string(),
    level: Level,
    category: Category,
    title: z.string(),
    why: z.string(),
    found: z.int().describe('all findings of the check, those that are not listed too'),
    listed: z.int().describe(`of them in \`findings\`: the largest, at most ${FINDINGS_PER_CHECK_MAX}`),
  })
  .meta({ id: 'AdvisorCheck' })

const EXAMPLE_CHECK = {
  level: 'error' as const,
  category: 'security' as const,
  title: 'Policies that are not in force',
}

export const Advice = z
  .object({
    findings: z.array(AdvisorFinding).describe('by level, then the largest first'),
    checks: z.array(AdvisorCheck).describe('every check, those that found nothing too'),
    tried: z.int().describe('relations that were read as anon'),
    not_tried: z.int().describe('relations that there was no time left for: of those the grants are told'),
    complete: z.boolean().describe('true: everything was tried and measured, and every finding is listed'),
    time: z.iso.datetime(),
  })
  .meta({
    id: 'Advice',
    examples: [
      {
        findings: [
          {
            key: 'policies_not_enforced:"public"."notes"',
            check: 'policies_not_enforced',
            ...EXAMPLE_CHECK,
            object: {
              schema: 'public',
              name: 'notes',
              kind: 'table',
              table: null,
              column: null,
              policy: null,
              constraint: null,
            },
            owner: 'quoin',
            size_bytes: 49_152,
            rows_estimated: 120,
            reading: null,
            reason: 'Row-level security is off, so its 2 policies decide nothing.',
            sql: 'alter table "public"."notes" enable row level security;',
            decide: null,
          },
        ],
        checks: [
          {
            id: 'policies_not_enforced',
            ...EXAMPLE_CHECK,
            why: 'Whoever wrote policies meant rows to be protected.',
            found: 1,
            listed: 1,
          },
        ],
        tried: 4,
        not_tried: 0,
        complete: true,
        time: '2026-01-31T12:00:00.000Z',
      },
    ],
  })
export type Advice = z.infer<typeof Advice>
