// Which table is to be watched: its names become the oid by which it is known from then on, so that a rename is
// followed. Decides nothing about columns or events.

import type { PlatformDatabase } from '../../../db/database.ts'
import { quoteQualified } from '../../../db/sql.ts'
import { DomainError } from '../../../errors.ts'
import { nearestName } from '../../../lib/nearest-name.ts'

export interface WatchingDeps {
  platform: Pick<PlatformDatabase, 'query'>
}

export interface TableName {
  table_schema: string
  table_name: string
}

const FIND = `
  select c.oid::bigint as table_id, reason, current_user::regrole::text as own_role,
    case when reason = format('it belongs to the role %s', c.relowner::regrole) then
      (select json_build_object('name', c.relowner::regrole, 'is_superuser', rolsuper)
        from pg_catalog.pg_roles where oid = c.relowner)
    end as foreign_owner
  from (select 1) as one
  left join pg_catalog.pg_namespace n on n.nspname = $1::text
  left join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relname = $2::text
    -- Indexes, sequences and types share the names of tables.
    and c.relkind in ('r', 'p', 'v', 'm', 'f')
  cross join lateral quoin.unwatchable_reason(c.oid) as reason`

interface Found {
  table_id: number | null
  reason: string | null
  /** Null: that is not the reason. */
  foreign_owner: { name: string; is_superuser: boolean } | null
  own_role: string
}

const LIST_TABLES = `
  select n.nspname as table_schema, c.relname as table_name
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p') and n.nspname not in ('quoin', 'information_schema')
    and n.nspname not like 'pg!_%' escape '!'
  order by 1, 2 limit 2000`

/**
 * The oid of a table that can be watched. Throws `table_not_watchable`, with the reason and the name that was
 * probably meant.
 */
export async function findWatchableTable({ platform }: WatchingDeps, table: TableName): Promise<number> {
  const { table_schema, table_name } = table
  const [found] = await platform.query<Found>(FIND, [table_schema, table_name], 'repeatable')
  if (found?.table_id && found.reason === null) return found.table_id
  const name = quoteQualified({ schema: table_schema, name: table_name })
  throw new DomainError(
    'table_not_watchable',
    `body.table_name: the table ${name} cannot be watched: ${found?.reason ?? 'it does not exist'}.`,
    { hint: found?.table_id ? watchableHint(found, name) : await spellingHint({ platform }, table) },
  )
}

function watchableHint({ foreign_owner, own_role }: Found, name: string): string {
  if (foreign_owner === null) return WATCHABLE_HINT
  const change = `ALTER TABLE ${name} OWNER TO ${own_role}`
  // A member of a superuser's role could become it.
  const grant = foreign_owner.is_superuser ? '' : `, or GRANT ${foreign_owner.name} TO ${own_role}`
  return `Quoin makes triggers as ${own_role}: ${change}${grant}.`
}

const WATCHABLE_HINT =
  "Row changes are watched on ordinary and partitioned tables outside Quoin's own and Postgres' schemas."

/** Names are exact: no quotes, no folding to lower case. */
async function spellingHint(
  { platform }: WatchingDeps,
  { table_schema, table_name }: TableName,
): Promise<string> {
  const tables = await platform.query<TableName>(LIST_TABLES, [], 'repeatable')
  const prefix = tables.find(table => table_name.startsWith(`${table.table_schema}.`))?.table_schema
  if (prefix !== undefined) {
    return (
      `Put the schema into table_schema ("${prefix}"), and into table_name the name alone ` +
      `("${table_name.slice(prefix.length + 1)}").`
    )
  }
  const inSchema = tables.filter(table => table.table_schema === table_schema).map(table => table.table_name)
  const nearest = nearestName(table_name, inSchema)
  if (nearest !== undefined) return `Did you mean "${nearest}"?`
  const elsewhere = tables.find(table => table.table_name === table_name)
  if (elsewhere !== undefined) return `There is one in the schema "${elsewhere.table_schema}".`
  return 'Send names as Postgres has them: without quotes, in their own upper and lower case.'
}
