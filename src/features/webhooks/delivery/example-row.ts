// The row that a test sends: the columns that the watched table has now, with values that are made up. What the table
// holds is not read: a row of it would be data that nobody changed.

import type { PlatformDatabase } from '../../../db/database.ts'

/** By Postgres' name of the type, as its JSON would have it. */
const VALUES = new Map<string, unknown>([
  ...['int2', 'int4', 'int8', 'numeric', 'float4', 'float8'].map(type => [type, 1] as const),
  ...['text', 'varchar', 'bpchar'].map(type => [type, 'example'] as const),
  ...['json', 'jsonb'].map(type => [type, {}] as const),
  ['bool', true],
  ['uuid', '00000000-0000-4000-8000-000000000000'],
  ['date', '2026-01-31'],
  ['time', '12:00:00'],
  ['timestamp', '2026-01-31T12:00:00'],
  ['timestamptz', '2026-01-31T12:00:00+00:00'],
])

interface Column {
  name: string
  type: string
  is_array: boolean
  /** An enum's first. */
  label: string | null
}

// A domain counts as the type below it. Deliveries have no virtual columns.
const SQL = `
  select a.attname as name, t.typname as type, t.typcategory = 'A' as is_array, (
      select e.enumlabel from pg_catalog.pg_enum e where e.enumtypid = t.oid order by e.enumsortorder limit 1) as label
  from pg_catalog.pg_attribute a
    join pg_catalog.pg_type d on d.oid = a.atttypid
    join pg_catalog.pg_type t on t.oid = case d.typtype when 'd' then d.typbasetype else d.oid end
  where a.attrelid = $1::bigint::oid and a.attnum > 0 and not a.attisdropped and a.attgenerated <> 'v'
  order by a.attnum`

/** JSON text of an object; without fields where the table is gone. Null stands for values of other types. */
export async function readExampleRow(
  platform: Pick<PlatformDatabase, 'query'>,
  tableId: number,
): Promise<string> {
  const columns = await platform.query<Column>(SQL, [String(tableId)], 'repeatable')
  // As text: an object would sort names that are numbers, and lose `__proto__`.
  return `{${columns.map(column => `${JSON.stringify(column.name)}:${exampleOf(column)}`).join(',')}}`
}

function exampleOf({ type, is_array, label }: Column): string {
  return JSON.stringify(is_array ? [] : (label ?? VALUES.get(type) ?? null))
}
