// Backups that `npm run backup` has written down, and databases that `npm run branch` has made beside this one.

import type { PlatformDatabase } from '../../db/database.ts'
import { isConnectedSql, readBranchComment } from './branch-comment.ts'
import type { BackupProvider } from './provider.ts'
import type { Backup, Branch } from './schemas.ts'

const ROWS_MAX = 1_000

/**
 * Whoever writes a backup holds a lock on the table that nothing else takes for long: without one, a row that is
 * running was cut off. What Postgres said of a failure stays with the owner: code of callers can raise errors.
 */
const BACKUPS_SQL = `
  select id, substring(location from '[^/\\\\]+$') as name,
    case when is_cut_off then 'failed' else status end as status, started_at, finished_at, size_bytes, location,
    lsn::text as lsn, verified_at, null as expires_at,
    case when is_cut_off or error = 'it was cut off' then 'it was cut off'
      when error is not null then 'it failed: the command has said why, and quoin.backups says it to the owner'
    end as error
  from (
    select *, status = 'running' and not exists (
        select from pg_locks l where l.relation = 'quoin.backups'::regclass and l.granted
          and l.database = (select oid from pg_database where datname = current_database())
          and l.mode = 'ShareUpdateExclusiveLock') as is_cut_off
    from quoin.backups
  ) b
  order by started_at desc, id desc limit ${ROWS_MAX}`

/** A comment of somebody else's database is nothing of ours. */
const BRANCHES_SQL = `
  select d.datname as id, s.description, d.datname = current_database() as is_current,
    ${isConnectedSql('d.oid')} as is_connected,
    case when has_database_privilege(d.oid, 'connect') then pg_database_size(d.oid) end as size_bytes
  from pg_database d
    left join pg_shdescription s on s.objoid = d.oid and s.classoid = 'pg_database'::regclass
  where d.datname = current_database()
    or (starts_with(s.description, 'Quoin branch: ') and pg_has_role(d.datdba, 'usage'))
  limit ${ROWS_MAX}`

interface DatabaseRow {
  readonly id: string
  readonly description: string | null
  readonly is_current: boolean
  readonly is_connected: boolean
  readonly size_bytes: number | null
}

export function postgresProvider(platform: Pick<PlatformDatabase, 'query'>): BackupProvider {
  return {
    name: 'postgres',
    listBackups: async () => (await platform.query<Backup>(BACKUPS_SQL, [], 'repeatable')).map(withIsoTimes),
    listBranches: async () => branchesOf(await platform.query<DatabaseRow>(BRANCHES_SQL, [], 'repeatable')),
  }
}

/** Postgres writes other forms of a time than the rest of the API. */
function withIsoTimes(backup: Backup): Backup {
  const iso = (text: string | null) => text && new Date(text).toISOString()
  const { finished_at, verified_at } = backup
  return {
    ...backup,
    started_at: new Date(backup.started_at).toISOString(),
    finished_at: iso(finished_at),
    verified_at: iso(verified_at),
  }
}

function branchesOf(rows: readonly DatabaseRow[]): Branch[] {
  const current = rows.find(({ is_current }) => is_current)?.id
  const branches = rows.flatMap(row => {
    const branch = branchOf(row)
    return row.is_current || branch.parent_id === current ? [branch] : []
  })
  return branches.sort(
    (a, b) =>
      Number(b.is_current) - Number(a.is_current) || (b.created_at ?? '').localeCompare(a.created_at ?? ''),
  )
}

function branchOf({ id, description, is_current, is_connected, size_bytes }: DatabaseRow): Branch {
  const made = readBranchComment(description ?? '')
  return {
    id,
    name: made?.name ?? id,
    parent_id: made?.parent ?? null,
    state: made?.state === 'creating' && !is_connected ? 'failed' : (made?.state ?? 'ready'),
    is_current,
    created_at: made?.created_at ?? null,
    size_bytes,
    expires_at: null,
  }
}
