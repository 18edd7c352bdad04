// The SQL on `quoin.projects`. Decides nothing and speaks to no limiter.

import type { PlatformDatabase } from '../../db/database.ts'
import type { KeysetPosition } from '../../db/keyset-page.ts'
import { IS_ACTIVE_KEY } from '../api-keys/record/key-store.ts'
import { type ProjectScope, projectOf } from '../api-keys/record/project-scope.ts'
import type { Project } from './schemas.ts'

/** What the statements here need of the platform's database. */
export type ProjectDatabase = Pick<PlatformDatabase, 'query' | 'transaction'>

/** A row as Postgres' JSON has it; the record, but for how its times are written. */
export type ProjectRow = Project

const COLUMNS = `p.id, p.name, p.status,
  (select count(*)::int from quoin.api_keys k where k.project_id = p.id and ${IS_ACTIVE_KEY}) as active_keys,
  p.created_at, p.updated_at`
const IN_SCOPE = '($1::uuid is null or p.id = $1::uuid)'

/** The record as callers see it: times as ISO 8601 UTC with milliseconds. */
export function toProject(row: ProjectRow): Project {
  return {
    ...row,
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
  }
}

/** The project with this id, where it is in the scope. */
export async function findProject(
  db: Pick<ProjectDatabase, 'query'>,
  id: string,
  scope: ProjectScope,
): Promise<ProjectRow | undefined> {
  const sql = `select ${COLUMNS} from quoin.projects p where ${IN_SCOPE} and p.id = $2::uuid`
  return (await db.query<ProjectRow>(sql, [projectOf(scope), id], 'repeatable'))[0]
}

export interface ProjectPage {
  scope: ProjectScope
  /** The last row of the page before; null for the first page. */
  after: KeysetPosition | null
  limit: number
}

/** Projects from the newest to the oldest; equal times are ordered by id, so that no page skips or repeats one. */
export function listProjectRows(
  db: Pick<ProjectDatabase, 'query'>,
  { scope, after, limit }: ProjectPage,
): Promise<ProjectRow[]> {
  const sql = `select ${COLUMNS} from quoin.projects p
    where ${IN_SCOPE} and ($2::timestamptz is null or (p.created_at, p.id) < ($2::timestamptz, $3::uuid))
    order by p.created_at desc, p.id desc limit $4::integer`
  const params = [projectOf(scope), after?.createdAt ?? null, after?.id ?? null, String(limit)]
  return db.query<ProjectRow>(sql, params, 'repeatable')
}

/** Stores a new project, which has no keys yet. */
export async function insertProject(db: Pick<ProjectDatabase, 'query'>, name: string): Promise<ProjectRow> {
  const sql = `insert into quoin.projects (name) values ($1)
    returning id, name, status, 0 as active_keys, created_at, updated_at`
  const [row] = await db.query<ProjectRow>(sql, [name])
  if (row === undefined) throw new Error('an insert with returning answers its row')
  return row
}

/**
 * Writes name and status, where the row still has those that were read: of two changes at once only one finds it.
 * Answers the row, or undefined. Another status makes every row of its keys newer than what limiters have read before.
 */
export async function updateProjectRow(
  db: Pick<ProjectDatabase, 'transaction'>,
  read: ProjectRow,
  { name, status }: Pick<ProjectRow, 'name' | 'status'>,
): Promise<ProjectRow | undefined> {
  const change = `update quoin.projects
    set name = $2, status = $3, status_version = status_version + (status <> $3)::integer,
      updated_at = clock_timestamp()
    where id = $1::uuid and name = $4 and status = $5 returning id`
  // Read by a statement of its own, which sees keys that the change has waited for.
  const record = `select row_to_json(q)::text
    from (select ${COLUMNS} from quoin.projects p where p.id = $1::uuid) q`
  const results = await db.transaction([
    { sql: change, params: [read.id, name, status, read.name, read.status] },
    { sql: record, params: [read.id] },
  ])
  const text = results[1]?.[0]?.[0]
  const isChanged = results[0]?.length === 1
  return isChanged && text != null ? (JSON.parse(text) as ProjectRow) : undefined
}
