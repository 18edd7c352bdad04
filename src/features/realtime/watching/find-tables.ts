// Which tables a subscription means, for callers of a role: those of exposed schemas that the role may SELECT.

import type { DatabaseRole, KeyRole, PlatformDatabase } from '../../../db/database.ts'
import { quoteQualified } from '../../../db/sql.ts'
import { userRoleMissing } from '../../../db/user-role.ts'
import { DomainError } from '../../../errors.ts'
import { nearestName } from '../../../lib/nearest-name.ts'
import type { TypedColumn } from '../changes/parse-filter.ts'
import type { SightTable } from '../sight/sight-contract.ts'
import { selectableByUsers } from '../sight/user-columns-sql.ts'

export interface FindTablesDeps {
  readonly platform: Pick<PlatformDatabase, 'query'>
  readonly config: { readonly dbSchemas: readonly string[] }
}

/** A table that can be followed, and the types of its columns as SQL names them. */
export interface FollowedTable extends SightTable {
  readonly typed: readonly TypedColumn[]
}

interface Found {
  table: {
    table_id: number
    table_schema: string
    table_name: string
    columns: SightTable['columns']
    selectable: Readonly<Record<KeyRole, readonly string[]>>
    claims_read: string[]
  } | null
  /** Columns that signed-in persons may SELECT, where they have a role of their own. */
  by_users: readonly string[] | null
  table_name: string
  typed: TypedColumn[]
  reason: string | null
}

const FIND = `
  select c.relname as table_name, quoin.table_in_sight(c.oid, null) as table,
    ${selectableByUsers('c.oid')} as by_users,
    quoin.unwatchable_reason(c.oid) as reason, (
      select coalesce(json_agg(json_build_object('name', a.attname, 'type', format_type(t.oid, -1),
        'baseType', (
          with recursive b (oid, base) as (
            select t.oid, t.typbasetype union all select u.oid, u.typbasetype from b join pg_type u on u.oid = b.base)
          select format_type(b.oid, -1) from b where b.base = 0))), '[]')
      from pg_catalog.pg_attribute a join pg_catalog.pg_type t on t.oid = a.atttypid
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as typed
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where n.nspname = any ($1::text[]) and c.relkind in ('r', 'p', 'v', 'm', 'f')
    and ($2::text is null or c.relname = $2::text)
  order by n.nspname, c.relname limit 1000`

/**
 * The table of this name, or with `*` all that the role may SELECT. Throws `schema_not_exposed`, `table_not_watchable`
 * with the name that was probably meant, `insufficient_role` where the role may not SELECT it, `user_role_missing`.
 */
export async function findTables(
  { platform, config }: FindTablesDeps,
  role: DatabaseRole,
  { schema, table }: { schema: string; table: string },
): Promise<FollowedTable[]> {
  const schemas = schema === '*' ? config.dbSchemas : [schema]
  if (!schemas.every(name => config.dbSchemas.includes(name))) {
    throw new DomainError('schema_not_exposed', `The schema "${schema.slice(0, 100)}" is not exposed.`, {
      hint: `Exposed are: ${config.dbSchemas.join(', ')} (DB_SCHEMAS).`,
    })
  }
  const names = `{${schemas.map(name => JSON.stringify(name)).join(',')}}`
  const isAny = table === '*'
  const found = await platform.query<Found>(FIND, [names, isAny ? null : table], 'repeatable')
  const usable = found.flatMap(one =>
    one.table !== null && one.reason === null && selectable(one, role).length > 0
      ? [{ ...toTable(one.table, one.by_users), typed: one.typed }]
      : [],
  )
  if (usable.length > 0) return usable
  if (role === 'authenticated' && found[0]?.by_users === null) throw userRoleMissing()
  if (isAny) throw notFound(`The role ${role} may SELECT no table of ${schemas.join(', ')}.`)
  const [one] = found
  const name = quoteQualified({ schema, name: table })
  const isKnown = one?.table && selectable(one, role).length > 0
  if (one && isKnown) throw notFound(`The table ${name} cannot be watched: ${one.reason}.`)
  if (one?.table) throw denied(name, role)
  if (one) throw notFound(`${name} is no table.`, 'Follow the tables behind it.')
  throw await unknown({ platform, config }, role, schemas, table)
}

function toTable(
  { table_id, claims_read, ...table }: NonNullable<Found['table']>,
  byUsers: Found['by_users'],
): SightTable {
  const selectable = { ...table.selectable, authenticated: byUsers ?? [] }
  return { ...table, selectable, tableId: table_id, fits: true, claimsRead: claims_read }
}

function selectable({ table, by_users }: Found, role: DatabaseRole): readonly string[] {
  return (role === 'authenticated' ? by_users : table?.selectable[role]) ?? []
}

function notFound(message: string, hint?: string): DomainError {
  return new DomainError('table_not_watchable', message, { hint })
}

function denied(name: string, role: DatabaseRole): DomainError {
  return new DomainError('insufficient_role', `permission denied for table ${name}`, {
    hint: `GRANT SELECT ON ${name} TO ${role}; row-level security decides which rows it sees.`,
  })
}

/** Names are told that the role may use. */
async function unknown(
  { platform }: FindTablesDeps,
  role: DatabaseRole,
  schemas: readonly string[],
  table: string,
): Promise<DomainError> {
  const names = `{${schemas.map(name => JSON.stringify(name)).join(',')}}`
  const found = await platform.query<Found>(FIND, [names, null], 'repeatable')
  const known = found.flatMap(one => (one.table && selectable(one, role).length > 0 ? [one.table_name] : []))
  const nearest = nearestName(table, known)
  return notFound(
    `There is no table "${table.slice(0, 100)}" in ${schemas.join(', ')}.`,
    nearest === undefined ? 'Names are as Postgres has them.' : `Did you mean "${nearest}"?`,
  )
}
