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
  readonly id: string
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
  readonly columns: readonly { name: string; type: string; needs_value: boolean }[]
  /** Whether ids come from a sequence of the table. */
  readonly has_sequence: boolean
  readonly runs_code: boolean
  readonly others: readonly string[]
  readonly has_hashes: boolean
}

const COLUMNS: Readonly<Record<string, RegExp>> = {
  id: /^(?:integer|bigint)$/,
  name: /^(?:character varying|text)$/,
  run_on: /^timestamp without time zone$/,
}

const FACTS_SQL = `
  select c.relkind::text as kind, pg_get_userbyid(c.relowner) as owner,
    c.relowner = (select oid from pg_roles where rolname = current_user) as is_ours,
    (select coalesce(json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, null), 'needs_value',
        a.attnotnull and not a.atthasdef and a.attidentity = '' and a.attgenerated = '')), '[]')
      from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
    c.relhasrules or exists (select from pg_trigger t where t.tgrelid = c.oid) as runs_code,
    (select coalesce(json_agg(distinct case a.grantee when 0 then 'public' else pg_get_userbyid(a.grantee) end), '[]')
      from (select c.relacl union all select attacl from pg_attribute where attrelid = c.oid) lists (acl)
        cross join aclexplode(acl) a where a.grantee <> c.relowner and a.privilege_type <> 'SELECT') as others,
    pg_get_serial_sequence(c.oid::regclass::text, 'id') is not null as has_sequence,
    to_regclass('quoin.migration_hashes') is not null as has_hashes
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = $1 and c.relname = $2`

/** `run_on` has no time zone: the command line writes the local time of the database's own setting. */
const LOCAL_ZONE = "(select reset_val from pg_settings where name = 'TimeZone')"

/**
 * The applied migrations, oldest first. Throws `tracking_table_unusable` for a table that is not what it must be, with
 * the statement that mends it, and `table_busy`.
 */
export async function readTracked(ask: Ask, table: TrackingTable): Promise<TrackedMigration[]> {
  const [facts] = await ask<TableFacts>(FACTS_SQL, [table.schema, table.name])
  refuseUnusable(table, facts)
  const hash = table.hasHashes
    ? '(select h.hash from quoin.migration_hashes h where h.migration_id = p.id and h.name = p.name)'
    : 'null::text'
  return asked(
    table,
    ask<TrackedMigration>(`
    select p.id::text as id, p.name::text as name, ${hash} as stored_hash,
      to_char(p.run_on at time zone ${LOCAL_ZONE} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as applied_at
    from ${nameOf(table)} p order by p.run_on, p.id`),
  )
}

/** What a row will have, told before its migration runs. */
export interface ReservedRow {
  readonly id: string
  readonly run_on: string
}

/**
 * Rows for a whole batch, in its order. node-pg-migrate's command line wants rows in the order of the files, also where
 * one of them runs behind the others.
 */
export function reserveRows(ask: Ask, table: TrackingTable, count: number): Promise<ReservedRow[]> {
  const sql = `select nextval(pg_get_serial_sequence('${nameOf(table)}', 'id'))::text as id,
      (now() at time zone ${LOCAL_ZONE})::text as run_on
    from generate_series(1, $1::integer)`
  return asked(table, ask<ReservedRow>(sql, [String(count)]))
}

/** Remembers a migration as applied. */
export async function record(
  ask: Ask,
  table: TrackingTable,
  { id, run_on }: ReservedRow,
  name: string,
  hash: string,
): Promise<void> {
  const insert = `insert into ${nameOf(table)} (id, name, run_on) overriding system value
    values ($1, $2, $3) returning id, name`
  const sql = table.hasHashes
    ? `with added as (${insert})
      insert into quoin.migration_hashes (migration_id, name, hash) select id, name, $4 from added`
    : insert
  await asked(table, ask(sql, table.hasHashes ? [id, name, run_on, hash] : [id, name, run_on]))
}

/** Forgets a migration that was taken back. */
export async function forget(ask: Ask, table: TrackingTable, { id }: TrackedMigration): Promise<void> {
  if (table.hasHashes)
    await asked(table, ask('delete from quoin.migration_hashes where migration_id = $1', [id]))
  await asked(table, ask(`delete from ${nameOf(table)} where id = $1`, [id]))
}

/** Takes `hash` for that of an applied migration from now on. */
export async function storeHash(ask: Ask, { id, name }: TrackedMigration, hash: string): Promise<void> {
  const sql = `insert into quoin.migration_hashes (migration_id, name, hash) values ($1, $2, $3)
     on conflict (migration_id) do update set name = excluded.name, hash = excluded.hash, recorded_at = now()`
  await asked(USER_MIGRATIONS, ask(sql, [id, name, hash]))
}

const nameOf = ({ schema, name }: TrackingTable): string => `${schema}.${name}`

/** A transaction in which nothing works any more is not the table's fault. */
const IN_FAILED_TRANSACTION = '25P02'
const LOCK_NOT_AVAILABLE = '55P03'
const QUERY_CANCELED = '57014'

/** The answer, with a refusal as one of the table. */
async function asked<Row>(table: TrackingTable, answer: Promise<Row[]>): Promise<Row[]> {
  try {
    return await answer
  } catch (err) {
    const code = err instanceof Error && 'code' in err ? err.code : undefined
    if (err instanceof DomainError || typeof code !== 'string' || code === IN_FAILED_TRANSACTION) throw err
    if (code === LOCK_NOT_AVAILABLE || code === QUERY_CANCELED)
      throw new DomainError('table_busy', `Somebody else has locked ${nameOf(table)}; nothing was changed.`, {
        cause: err,
        retryAfterSeconds: 5,
      })
    throw unusable(`${nameOf(table)}: ${(err as Error).message}`, 'see what the message names')
  }
}

function refuseUnusable(table: TrackingTable, facts: TableFacts | undefined): void {
  const name = nameOf(table)
  if (facts === undefined || (table.hasHashes && !facts.has_hashes))
    throw unusable(
      'The database lacks the tables that migrations are remembered in.',
      'npm run migrate -- --platform',
    )
  if (facts.kind !== 'r') throw unusable(`${name} is not an ordinary table.`, `drop or rename ${name}`)
  for (const [column, type] of Object.entries(COLUMNS)) {
    const found = facts.columns.find(it => it.name === column)
    if (found === undefined)
      throw unusable(`${name} has no column ${column}: another tool's?`, `rename ${name}`)
    if (!type.test(found.type))
      throw unusable(
        `${name} has a column ${column} of type ${found.type}: another tool's?`,
        `rename ${name}`,
      )
  }
  if (!facts.has_sequence)
    throw unusable(`${name} has no sequence for its ids.`, `make one that is owned by ${name}.id`)
  const excess = facts.columns.find(column => column.needs_value && !(column.name in COLUMNS))
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
