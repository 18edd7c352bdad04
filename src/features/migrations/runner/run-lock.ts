// One run of migrations at a time, whoever runs it: the lock is node-pg-migrate's own, held by a transaction on a
// connection of its own. So it holds behind a transaction pooler too.
//
// CREATE INDEX CONCURRENTLY waits for every transaction with a snapshot, so that one must have none. Hence the simple
// protocol here: in the extended one the last statement's portal keeps its snapshot.

import { DomainError } from '../../../errors.ts'
import { type Driver, passOn } from './owner-session.ts'

/** PG_MIGRATE_LOCK_ID of node-pg-migrate, whose main module does not load in a Worker. */
const LOCK_KEY = '7241865325823964'

const BEGIN = `
  begin isolation level read committed;
  set local application_name = 'quoin:migrations';
  set local idle_in_transaction_session_timeout = 0;
  set local search_path = pg_catalog, pg_temp`

const TAKE = `select pg_try_advisory_xact_lock(${LOCK_KEY}) as is_ours`

const HOLDER = `
  select l.pid, a.application_name as name,
    to_char(timezone('UTC', coalesce(a.xact_start, a.backend_start)), 'HH24:MI:SS') as since
  from pg_locks l left join pg_stat_activity a on a.pid = l.pid
  where l.locktype = 'advisory' and l.granted and l.objsubid = 1
    and l.database = (select d.oid from pg_database d where d.datname = current_database())
    and ((l.classid::bigint << 32) | l.objid::bigint) = ${LOCK_KEY}`

export interface RunLock {
  /** Throws `database_unavailable` when the connection is gone, and the lock with it. */
  assertLocked(): Promise<void>
}

/** Takes the lock for as long as the connection lives. Throws `migrations_running` with the holder. */
export async function takeRunLock(driver: Driver): Promise<RunLock> {
  await passOn(driver.query(BEGIN))
  const taken = await passOn(driver.query(TAKE))
  if (taken.rows[0]?.['is_ours'] === true)
    return { assertLocked: async () => void (await passOn(driver.query('select 1'))) }
  const holder = await passOn(driver.query(HOLDER))
  await passOn(driver.query('rollback'))
  throw new DomainError(
    'migrations_running',
    'Another run of migrations is under way; nothing was changed.',
    {
      detail: holderText(holder.rows[0] as Holder | undefined),
      hint: 'Try again when it has ended. Where its connection is ended, it takes back what it did.',
      retryAfterSeconds: 5,
    },
  )
}

interface Holder {
  readonly pid: number
  readonly name: string | null
  readonly since: string | null
}

function holderText(holder: Holder | undefined): string | undefined {
  if (holder === undefined) return undefined
  const { pid, name, since } = holder
  return `It is process ${pid} of Postgres${name ? ` (${name})` : ''}${since ? `, since ${since} UTC` : ''}.`
}
