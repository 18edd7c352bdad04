// Neon's management API (its published OpenAPI, v2): which branches and snapshots a project has. Only reads.

import * as z from 'zod'
import { DomainError } from '../errors.ts'
import { describeAnswer } from './describe-answer.ts'
import {
  callUpstream,
  invalidAnswer,
  misconfigured,
  type Upstream,
  type UpstreamAnswer,
  unavailable,
  unexpected,
} from './http.ts'
import { readWholeList } from './whole-list.ts'

export const NEON_API_URL = 'https://console.neon.tech/api/v2'

const Instant = z.string().refine(text => !Number.isNaN(Date.parse(text)))
const Id = z.string().regex(/^[a-z0-9-]{1,60}$/)

const NeonBranch = z.looseObject({
  id: Id,
  name: z.string(),
  parent_id: Id.nullish(),
  current_state: z.string(),
  default: z.boolean(),
  created_at: Instant,
  logical_size: z.int().min(0).nullish(),
  expires_at: Instant.nullish(),
})
export type NeonBranch = z.infer<typeof NeonBranch>

const NeonSnapshot = z.looseObject({
  id: Id,
  name: z.string(),
  lsn: z.string().nullish(),
  source_branch_id: Id.nullish(),
  created_at: Instant,
  expires_at: Instant.nullish(),
  full_size: z.int().min(0).nullish(),
})
export type NeonSnapshot = z.infer<typeof NeonSnapshot>

const BranchPage = z.looseObject({
  branches: z.array(NeonBranch),
  pagination: z.looseObject({ next: z.string().nullish() }).nullish(),
})
const SnapshotList = z.looseObject({ snapshots: z.array(NeonSnapshot) })

const PAGE_SIZE_MAX = 1_000
const BRANCHES_MAX = 10_000
const TOO_MANY_REQUESTS = 429

/** All branches of the project. Throws `upstream_answer_too_large` beyond 10 000. */
export async function listNeonBranches(neon: Upstream, projectId: string): Promise<NeonBranch[]> {
  const branches = await readWholeList(
    async ({ size, token }) => {
      const answer = await callUpstream(neon, {
        method: 'GET',
        path: `/projects/${encodeURIComponent(projectId)}/branches`,
        query: { limit: String(size), cursor: token },
      })
      const page = parseAnswer(neon, answer, BranchPage)
      // The last page may have a cursor too.
      const nextPageToken = page.branches.length < size ? undefined : (page.pagination?.next ?? undefined)
      return { items: page.branches, nextPageToken, length: answer.text.length }
    },
    { pageSizeMax: PAGE_SIZE_MAX, itemsMax: BRANCHES_MAX },
  )
  if (branches !== undefined) return branches
  throw new DomainError(
    'upstream_answer_too_large',
    `Neon's project has more than ${BRANCHES_MAX} branches, which Quoin does not list.`,
    { detail: neon.name, hint: 'Delete branches that nobody needs.' },
  )
}

/** All snapshots of the project: Neon gives them in one answer. */
export async function listNeonSnapshots(neon: Upstream, projectId: string): Promise<NeonSnapshot[]> {
  const path = `/projects/${encodeURIComponent(projectId)}/snapshots`
  const answer = await callUpstream(neon, { method: 'GET', path })
  return parseAnswer(neon, answer, SnapshotList).snapshots
}

/** A key that is not taken, or a project that it does not see, is the deployment's fault; 429 passes by itself. */
function parseAnswer<Schema extends z.ZodType>(
  neon: Upstream,
  answer: UpstreamAnswer,
  schema: Schema,
): z.output<Schema> {
  if (answer.status === TOO_MANY_REQUESTS) throw unavailable(neon, describeAnswer(answer))
  if (answer.status === 404) throw misconfigured(neon, answer)
  if (answer.status !== 200) throw unexpected(neon, answer)
  const parsed = schema.safeParse(answer.json)
  if (!parsed.success) throw invalidAnswer(neon, answer)
  return parsed.data
}
