// One run of migrations at a time, whoever runs it: the lock is node-pg-migrate's own, held by a transaction of its own
// connection. So it holds behind a transaction pooler too. That transaction has no snapshot: CREATE INDEX CONCURRENTLY
// does not wait for it.

import { DomainError } from '../../errors.ts'
import { type Driver, runStatement } from './owner-session.ts'

/** PG_MIGRATE_LOCK_ID of node-pg-migrate, whose main module does not load in a Worker. */
const LOCK_KEY = '7241865325823964'

const TAKE = 'select pg_catalog.pg_try_advisory_xact_lock($1::bigint) as is_ours'

const HOLDER = `
  select l.pid, a.application_name as name,
    pg_catalog.to_char(pg_catalog.timezone('UTC', coalesce(a.xact_start, a.backend_start)), 'HH24:MI:SS') as since
  from pg_catalog.pg_locks l left join pg_catalog.pg_stat_activity a on a.pid = l.pid
  where l.locktype = 'advisory' and l.granted and l.objsubid = 1
    and l.database = (select d.oid from pg_catalog.pg_database d
      where d.datname = pg_catalog.current_database())
    and (l.classid::bigint << 32) | l.objid::bigint = $1::bigint`

/** Takes the lock for as long as the connection lives. Throws `migrations_running` with the holder. */
export async function takeRunLock(driver: Driver): Promise<void> {
  await runStatement(driver, 'begin isolation level read committed')
  await runStatement(
    driver,
    "select pg_catalog.set_config('application_name', 'quoin:migrations', true), " +
      "pg_catalog.set_config('idle_in_transaction_session_timeout', '0', true), " +
      "pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true)",
  )
  const [taken] = await runStatement<{ is_ours: boolean }>(driver, TAKE, [LOCK_KEY])
  if (taken?.is_ours) return
  const [holder] = await runStatement<Holder>(driver, HOLDER, [LOCK_KEY])
  await runStatement(driver, 'rollback')
  throw new DomainError(
    'migrations_running',
    'Another run of migrations is under way; nothing was changed.',
    {
      detail: holder && holderText(holder),
      hint: 'Try again when it has ended. Its connection holds the lock: ending that ends the run.',
      retryAfterSeconds: 5,
    },
  )
}

interface Holder {
  readonly pid: number
  readonly name: string | null
  readonly since: string | null
}

function holderText({ pid, name, since }: Holder): string {
  return `It is process ${pid} of Postgres${name ? ` (${name})` : ''}${since ? `, since ${since} UTC` : ''}.`
}
