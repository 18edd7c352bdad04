// Which of the objects are in the database: one query, and one before it for the types of functions' arguments.

import type { PlatformDatabase } from '../../../db/database.ts'
import type { ArgumentType, CreatedObject } from './created-objects.ts'

/** The relation that `f.table` means, as the first of `f.schemas` has it. */
const TABLE_OF_INDEX = `select c.oid from json_array_elements_text(f.schemas) with ordinality s(name, place)
  join pg_namespace n on n.nspname = s.name::name join pg_class c on c.relnamespace = n.oid and c.relname = f.table
  where c.relkind in ('r', 'p', 'm') order by s.place limit 1`

/** Only a type that was created by itself: neither the row type of a table nor the array of another type. */
const IS_OWN_TYPE = `not exists (select from pg_class c where c.oid = t.typrelid and c.relkind <> 'c')
  and not exists (select from pg_type e where e.oid = t.typelem and e.typarray = t.oid)`

const EXISTENCE = `select f.place, case f.type
    when 'table' then exists (select from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = f.schema and c.relname = f.name and c.relkind in ('r', 'p'))
    when 'index' then exists (select from pg_index i join pg_class c on c.oid = i.indexrelid
      where i.indrelid = (${TABLE_OF_INDEX}) and c.relname = f.name)
    when 'function' then exists (select from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where n.nspname = f.schema and p.proname = f.name and p.proargtypes = f.args::oidvector
        and strpos(f.kinds, p.prokind::text) > 0)
    else exists (select from pg_type t join pg_namespace n on n.oid = t.typnamespace
      where n.nspname = f.schema and t.typname = f.name and strpos(f.kinds, t.typtype::text) > 0 and ${IS_OWN_TYPE})
    end as exists
  from json_to_recordset($1::json) f(place int, type text, name name, schema name, schemas json, "table" name,
    kinds text, args text)`

/** A type's oid as Postgres finds it by the search path: the first schema that has the name decides. */
const ARGUMENT_TYPES = `select a.place, (select case when a.is_array then t.typarray else t.oid end
    from json_array_elements_text(a.schemas) with ordinality s(name, place)
    join pg_namespace n on n.nspname = s.name::name
    join pg_type t on t.typnamespace = n.oid and t.typname = a.name order by s.place limit 1) as oid
  from json_to_recordset($1::json) a(place int, schemas json, name name, is_array boolean)`

/** No type has it. */
const NO_OID = 0

/** Whether each object exists, in the order given. Never finds a function of other argument types. */
export async function findExisting(
  platform: PlatformDatabase,
  objects: readonly CreatedObject[],
): Promise<boolean[]> {
  if (objects.length === 0) return []
  const oidOf = await readTypes(platform, objects)
  const asked = objects.map((object, place) => ({ place, ...columnsOf(object, oidOf) }))
  const rows = await platform.query<{ place: number; exists: boolean }>(
    EXISTENCE,
    [JSON.stringify(asked)],
    'repeatable',
  )
  const existing = new Set(rows.filter(row => row.exists).map(({ place }) => place))
  return objects.map((_, place) => existing.has(place))
}

function columnsOf(object: CreatedObject, oidOf: (type: ArgumentType) => number) {
  const { type, name } = object
  if (object.type === 'index') return { type, name, schemas: object.table.schemas, table: object.table.name }
  if (object.type === 'table') return { type, name, schema: object.schema }
  const { schema, kinds } = object
  if (object.type === 'type') return { type, name, schema, kinds }
  return { type, name, schema, kinds, args: object.args.map(oidOf).join(' ') }
}

/** The oids of all argument types; `NO_OID` for one that is not there, so that no function has it either. */
async function readTypes(
  platform: PlatformDatabase,
  objects: readonly CreatedObject[],
): Promise<(type: ArgumentType) => number> {
  const types = new Set<ArgumentType>()
  for (const object of objects)
    if (object.type === 'function') for (const type of object.args) types.add(type)
  if (types.size === 0) return () => NO_OID
  const asked = Array.from(types, ({ schemas, name, isArray, number }) => {
    return { place: number, schemas, name, is_array: isArray }
  })
  const rows = await platform.query<{ place: number; oid: number | string | null }>(
    ARGUMENT_TYPES,
    [JSON.stringify(asked)],
    'repeatable',
  )
  const oids = new Map(rows.map(({ place, oid }) => [place, Number(oid ?? NO_OID)]))
  return ({ number }) => oids.get(number) ?? NO_OID
}
