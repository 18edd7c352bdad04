// One project with its keys, and what there is to know of the database that it shares.

import { writeArrayLiteral } from '../../lib/array-literal.ts'
import { toApiKey } from '../api-keys/record/key-row.ts'
import { listKeyRows } from '../api-keys/record/key-store.ts'
import { type ProjectScope, projectNotFound } from '../api-keys/record/project-scope.ts'
import { STORAGE_TOTALS_SQL, type StorageTotals } from '../storage/totals-sql.ts'
import { parseProjectId } from './project-id.ts'
import { findProject, type ProjectDatabase, toProject } from './project-store.ts'
import { type ProjectDetail, SHOWN_MAX } from './schemas.ts'

interface ReadProjectDeps {
  platform: Pick<ProjectDatabase, 'query'>
  config: { dbSchemas: readonly string[] }
}

/** The project with its newest keys and its tables. Throws `not_found` for one outside of the scope. */
export async function readProject(
  { platform, config }: ReadProjectDeps,
  scope: ProjectScope,
  idText: string,
): Promise<ProjectDetail> {
  const id = parseProjectId(idText)
  const project = await findProject(platform, id, scope)
  if (project === undefined) throw projectNotFound(idText)
  const [keys, facts] = await Promise.all([
    listKeyRows(platform, { projectId: id, after: null, limit: SHOWN_MAX }),
    readFacts(platform, id, config.dbSchemas),
  ])
  return {
    ...toProject(project),
    keys: { total: facts.keys_total, data: keys.map(toApiKey) },
    tables: { total: facts.tables_total, data: facts.tables },
    database_size_bytes: facts.database_size_bytes,
    storage: facts.storage,
  }
}

interface Facts {
  keys_total: number
  tables_total: number
  tables: ProjectDetail['tables']['data']
  database_size_bytes: number
  storage: StorageTotals
}

/** From the catalog alone: the size of a table would wait for whoever changes it. Partitions are parts of a table. */
const FACTS = `with listed as (
    select n.nspname as schema, c.relname as name,
      case c.relkind when 'r' then 'table' when 'p' then 'partitioned_table' else 'foreign_table' end as kind,
      case when c.reltuples >= 0 then c.reltuples::bigint end as rows_estimated
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = any ($2::text[]) and c.relkind in ('r', 'p', 'f') and not c.relispartition)
  select (select count(*)::int from quoin.api_keys where project_id = $1::uuid) as keys_total,
    (select count(*)::int from listed) as tables_total,
    (select coalesce(json_agg(t), '[]') from (select * from listed order by schema, name limit ${SHOWN_MAX}) t)
      as tables,
    pg_database_size(current_database()) as database_size_bytes, ${STORAGE_TOTALS_SQL} as storage`

async function readFacts(
  platform: ReadProjectDeps['platform'],
  id: string,
  schemas: readonly string[],
): Promise<Facts> {
  const [facts] = await platform.query<Facts>(FACTS, [id, writeArrayLiteral(schemas)], 'repeatable')
  if (facts === undefined) throw new Error('a select without from answers one row')
  return facts
}
