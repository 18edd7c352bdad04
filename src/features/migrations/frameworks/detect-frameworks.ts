// Which migration tools have kept their books in the database.

import * as z from 'zod'
import type { PlatformDatabase } from '../../../db/database.ts'
import { type Columns, KNOWN_TABLES, OWN_TABLE } from './known-tables.ts'

export const DetectedTable = z
  .object({ schema: z.string(), table: z.string(), framework: z.string() })
  .meta({ id: 'DetectedMigrationTable' })

export const DetectedFrameworks = z.object({
  framework: z.string().describe("the service's own where its table is there or no other is, else the first"),
  tracking_table: z.string().describe('that of the framework, with its schema'),
  detected_tables: z.array(DetectedTable).describe('all tables of migration tools that are there'),
})
export type DetectedFrameworks = z.infer<typeof DetectedFrameworks>

const TABLES = `select n.nspname as schema, c.relname as table,
    (select coalesce(json_object_agg(a.attname, format_type(a.atttypid, a.atttypmod)), '{}')
      from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns
  from json_to_recordset($1::json) k(schema name, "table" name)
  join pg_namespace n on n.nspname = k.schema
  join pg_class c on c.relnamespace = n.oid and c.relname = k.table and c.relkind in ('r', 'p')`

interface TableRow {
  schema: string
  table: string
  columns: Columns
}

/** Reads the catalog once. `detected_tables` are in the order of the specification. */
export async function detectFrameworks(
  platform: Pick<PlatformDatabase, 'query'>,
): Promise<DetectedFrameworks> {
  const sought = KNOWN_TABLES.map(({ schema, table }) => ({ schema, table }))
  const rows = await platform.query<TableRow>(TABLES, [JSON.stringify(sought)], 'repeatable')
  const columns = new Map(rows.map(row => [keyOf(row), row.columns]))
  const detected = KNOWN_TABLES.filter(known => {
    const found = columns.get(keyOf(known))
    if (found === undefined || known.isOwn?.(found) === false) return false
    // Each table has one owner.
    return columns.delete(keyOf(known))
  })
  // The service's own is the first.
  const { framework, schema, table } = detected[0] ?? OWN_TABLE
  return {
    framework,
    tracking_table: `${schema}.${table}`,
    detected_tables: detected.map(({ isOwn: _, ...shown }) => shown),
  }
}

function keyOf({ schema, table }: { schema: string; table: string }): string {
  return `${schema}.${table}`
}
