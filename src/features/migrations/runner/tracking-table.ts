// The table of applied migrations, in the shape of node-pg-migrate's own, so that its command line may go on where
// Quoin stopped. Content hashes lie beside it, in a table that the command line does not know. The owner writes here:
// a table on which others have rights, or that runs code, is not touched.

import { DomainError } from '../../../errors.ts'

/** Runs a query whose names are found in pg_catalog alone, and answers its rows. */
export type Ask = <Row>(sql: string, params?: readonly (string | null)[]) => Promise<Row[]>

export interface TrackingTable {
  readonly schema: 'public' | 'quoin'
  readonly name: 'pgmigrations' | 'platform_migrations'
  /** Quoin's own migrations come with a release: their content is not compared. */
  readonly hasHashes: boolean
}

export const USER_MIGRATIONS: TrackingTable = { schema: 'public', name: 'pgmigrations', hasHashes: true }
export const PLATFORM_MIGRATIONS: TrackingTable = {
  schema: 'quoin',
  name: 'platform_migrations',
  hasHashes: false,
}

/** An applied migration. */
export interface TrackedMigration {
  readonly id: number
  /** Without the file's ending. */
  readonly name: string
  /** ISO 8601, UTC. */
  readonly applied_at: string
  /** Null where the command line ran it. */
  readonly stored_hash: string | null
}

interface TableFacts {
  readonly kind: string
  readonly owner: string
  readonly is_ours: boolean
  readonly columns: readonly { name: string; needs_value: boolean }[]
  readonly runs_code: boolean
  readonly others: readonly string[]
  readonly has_hashes: boolean
}

const COLUMNS = ['id', 'name', 'run_on']

const FACTS_SQL = `
  select c.relkind::text as kind, pg_get_userbyid(c.relowner) as owner,
    c.relowner = (select oid from pg_roles where rolname = current_user) as is_ours,
    (select coalesce(json_agg(json_build_object('name', a.attname, 'needs_value',
        a.attnotnull and not a.atthasdef and a.attidentity = '' and a.attgenerated = '')), '[]')
      from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
    c.relhasrules or exists (select from pg_trigger t where t.tgrelid = c.oid) as runs_code,
    (select coalesce(json_agg(distinct case a.grantee when 0 then 'public' else pg_get_userbyid(a.grantee) end), '[]')
      from (select c.relacl union all select attacl from pg_attribute where attrelid = c.oid) lists (acl)
        cross join aclexplode(acl) a where a.grantee <> c.relowner and a.privilege_type <> 'SELECT') as others,
    to_regclass('quoin.migration_hashes') is not null as has_hashes
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = $1 and c.relname = $2`

/** `run_on` has no time zone: the command line writes the local time of the database's own setting. */
const LOCAL_ZONE = "(select reset_val from pg_settings where name = 'TimeZone')"

/**
 * The applied migrations, oldest first. Throws `tracking_table_unusable` for a table that is not what it must be, with
 * the statement that mends it.
 */
export async function readTracked(ask: Ask, table: TrackingTable): Promise<TrackedMigration[]> {
  const [facts] = await ask<TableFacts>(FACTS_SQL, [table.schema, table.name])
  refuseUnusable(table, facts)
  const hash = table.hasHashes
    ? '(select h.hash from quoin.migration_hashes h where h.migration_id = p.id and h.name = p.name)'
    : 'null::text'
  return ask<TrackedMigration>(`
    select p.id::integer as id, p.name::text as name, ${hash} as stored_hash,
      to_char(p.run_on at time zone ${LOCAL_ZONE} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as applied_at
    from ${table.schema}.${table.name} p order by p.run_on, p.id`)
}

/** Remembers a migration as applied now. */
export async function record(ask: Ask, table: TrackingTable, name: string, hash: string): Promise<void> {
  const insert = `insert into ${table.schema}.${table.name} (name, run_on)
    values ($1, now() at time zone ${LOCAL_ZONE}) returning id, name`
  if (!table.hasHashes) return void (await ask(insert, [name]))
  const sql = `with added as (${insert})
    insert into quoin.migration_hashes (migration_id, name, hash) select id, name, $2 from added`
  await ask(sql, [name, hash])
}

/** Forgets a migration that was taken back. */
export async function forget(ask: Ask, table: TrackingTable, { id }: TrackedMigration): Promise<void> {
  if (table.hasHashes) await ask('delete from quoin.migration_hashes where migration_id = $1', [String(id)])
  await ask(`delete from ${table.schema}.${table.name} where id = $1`, [String(id)])
}

/** Takes `hash` for that of an applied migration from now on. */
export async function storeHash(ask: Ask, { id, name }: TrackedMigration, hash: string): Promise<void> {
  await ask(
    `insert into quoin.migration_hashes (migration_id, name, hash) values ($1, $2, $3)
     on conflict (migration_id) do update set name = excluded.name, hash = excluded.hash, recorded_at = now()`,
    [String(id), name, hash],
  )
}

function refuseUnusable(table: TrackingTable, facts: TableFacts | undefined): void {
  const name = `${table.schema}.${table.name}`
  if (facts === undefined || (table.hasHashes && !facts.has_hashes))
    throw unusable(
      `The database lacks the tables that migrations are remembered in.`,
      'npm run migrate -- --platform',
    )
  const columns = facts.columns.map(column => column.name)
  const missing = COLUMNS.filter(column => !columns.includes(column))
  const excess = facts.columns.find(column => column.needs_value && !COLUMNS.includes(column.name))
  if (facts.kind !== 'r') throw unusable(`${name} is no ordinary table.`, `drop or rename ${name}`)
  if (missing.length > 0)
    throw unusable(`${name} has no column ${missing.join(', ')}: another tool's?`, `rename ${name}`)
  if (excess !== undefined)
    throw unusable(
      `${name} has a column ${excess.name} that needs a value.`,
      `alter table ${name} alter column ${excess.name} drop not null`,
    )
  if (!facts.is_ours)
    throw unusable(
      `${name} belongs to ${facts.owner}.`,
      `alter table ${name} owner to the role of DATABASE_URL`,
    )
  if (facts.runs_code)
    throw unusable(`${name} has triggers or rules, which would run as the owner.`, 'drop them')
  if (facts.others.length > 0)
    throw unusable(
      `${facts.others.join(', ')} may change ${name}.`,
      `revoke all on ${name} from ${facts.others.join(', ')}`,
    )
}

function unusable(message: string, remedy: string): DomainError {
  return new DomainError('tracking_table_unusable', message, {
    hint: `Nothing was changed. Mend it as the owner: ${remedy}.`,
  })
}
