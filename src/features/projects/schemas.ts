// The project record as callers see it, and what they may send.

import * as z from 'zod'
import { WholeNumber } from '../../lib/whole-number.ts'
import { API_KEY_EXAMPLE, ApiKey, Name } from '../api-keys/record/schemas.ts'

const Time = z.iso.datetime({ offset: true })
const ProjectStatus = z.enum(['active', 'paused'])
export type ProjectStatus = z.infer<typeof ProjectStatus>

/** In a path. */
export const ProjectId = z
  .uuid()
  .describe('id of the project')
  .meta({ examples: ['0d9c8b7a-6f5e-4d3c-8b2a-1f0e9d8c7b6a'] })

const PROJECT_EXAMPLE = {
  id: '0d9c8b7a-6f5e-4d3c-8b2a-1f0e9d8c7b6a',
  name: 'web shop',
  status: 'active',
  active_keys: 3,
  created_at: '2026-01-31T12:00:00.000Z',
  updated_at: '2026-01-31T12:00:00.000Z',
}

export const Project = z
  .object({
    id: z.uuid(),
    name: z.string(),
    status: ProjectStatus.describe('paused: its keys get 403 `project_paused`'),
    active_keys: z.int().describe('its keys that are neither revoked nor expired'),
    created_at: Time,
    updated_at: Time.describe('the last change of name or status'),
  })
  .meta({ id: 'Project', examples: [PROJECT_EXAMPLE] })
export type Project = z.infer<typeof Project>

const FIELDS = { name: Name.describe('What the project is; need not be unique') }

export const ProjectIn = z.strictObject(FIELDS).meta({ id: 'ProjectIn' })
export type ProjectIn = z.infer<typeof ProjectIn>

export const ProjectPatch = z
  .strictObject({
    ...FIELDS,
    status: ProjectStatus.describe('paused refuses the keys of the project, active lets them in again'),
  })
  .partial()
  .refine(patch => Object.keys(patch).length > 0, {
    error: 'names no field to change',
    // A patch of unknown fields alone has one mistake, not two.
    when: ({ issues }) => issues.length === 0,
  })
  .meta({ id: 'ProjectPatch' })
export type ProjectPatch = z.infer<typeof ProjectPatch>

/** How many keys are told of a new status at once; the others read it by themselves within `KEYS_FOLLOW_SECONDS`. */
export const KEYS_TOLD_MAX = 500
const KEYS_FOLLOW_SECONDS = 60

export const ChangedProject = Project.extend({
  keys_told: z.int().describe('active keys that the status holds for by now; 0 where none was sent'),
  keys_following: z
    .int()
    .describe(`active keys that it will hold for within ${KEYS_FOLLOW_SECONDS} s; 0 where none was sent`),
}).meta({
  id: 'ChangedProject',
  examples: [{ ...PROJECT_EXAMPLE, status: 'paused', keys_told: 3, keys_following: 0 }],
})
export type ChangedProject = z.infer<typeof ChangedProject>

const PROJECTS_PER_PAGE_MAX = 1_000

export const ProjectListQuery = z.strictObject({
  limit: WholeNumber.pipe(z.int().min(1).max(PROJECTS_PER_PAGE_MAX))
    .default(100)
    .describe('Projects per page'),
  cursor: z.string().max(200).optional().describe('`next_cursor` of the page before'),
})
export type ProjectListQuery = z.infer<typeof ProjectListQuery>

export const ProjectList = z
  .object({
    data: z.array(Project),
    next_cursor: z.string().nullable().describe('null: the list is complete'),
  })
  .meta({ id: 'ProjectList' })
export type ProjectList = z.infer<typeof ProjectList>

/** How many keys, and how many tables, the detail shows. */
export const SHOWN_MAX = 100

export const ProjectDetail = Project.extend({
  keys: z
    .object({
      total: z.int(),
      data: z.array(ApiKey).describe(`the newest ${SHOWN_MAX}; GET /v1/keys has all`),
    })
    .describe('revoked and expired ones included'),
  tables: z
    .object({
      total: z.int(),
      data: z
        .array(
          z.object({
            schema: z.string(),
            name: z.string(),
            kind: z.enum(['table', 'partitioned_table', 'foreign_table']),
            rows_estimated: z.int().nullable().describe('as the planner has it; null where nothing is known'),
          }),
        )
        .describe(`the first ${SHOWN_MAX}, by schema and name`),
    })
    .describe('those of the schemas that /v1/db serves; all projects of a deployment share them'),
  database_size_bytes: z.int().describe('of the whole database, which all projects share'),
  storage: z
    .object({ buckets: z.int(), objects: z.int(), bytes: z.int() })
    .describe('files of the deployment, which all projects share'),
}).meta({
  id: 'ProjectDetail',
  examples: [
    {
      ...PROJECT_EXAMPLE,
      active_keys: 1,
      keys: {
        total: 1,
        data: [API_KEY_EXAMPLE],
      },
      tables: { total: 1, data: [{ schema: 'public', name: 'todos', kind: 'table', rows_estimated: 1200 }] },
      database_size_bytes: 8_912_896,
      storage: { buckets: 2, objects: 1_204, bytes: 734_003_200 },
    },
  ],
})
export type ProjectDetail = z.infer<typeof ProjectDetail>
