// One table, in full.

import type { QualifiedName } from '../../db/sql.ts'
import { DomainError } from '../../errors.ts'
import { writeArrayLiteral } from '../../lib/array-literal.ts'
import { nearestName } from '../../lib/nearest-name.ts'
import { type CatalogReadDeps, readCatalog } from './read-catalog.ts'
import type { TableStructure } from './structure.ts'
import { parseStructure, TABLE_ADDITIONS } from './structure-sql.ts'
import { relationsStatement } from './tables-sql.ts'

/** Names that are looked through for the one that was meant. */
const NAMES_MAX = 5_000

const NAMES_SQL = `select coalesce(json_agg(c.relname), '[]')::text from (
  select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = any ($1::text[]) and c.relkind in ('r', 'v', 'm', 'f', 'p') limit ${NAMES_MAX}) c`

/**
 * The relation of an exposed schema, as it is now. Throws `not_found` with the nearest name, also for schemas that are
 * not exposed, whatever is in them. One trip where it is found.
 */
export async function readTable(deps: CatalogReadDeps, named: QualifiedName): Promise<TableStructure> {
  const { dbSchemas } = deps.config
  // No name has a NUL, and Postgres takes none in a text.
  const isPossible = dbSchemas.includes(named.schema) && !named.name.includes('\0')
  if (!isPossible) throw noSuchTable(named, nearestName(named.schema, dbSchemas), dbSchemas)
  const found = parseStructure(
    await readCatalog(deps, relationsStatement([named.schema], TABLE_ADDITIONS, named.name)),
  )
  if (found !== undefined) return found
  const params = [writeArrayLiteral([named.schema])]
  const names = JSON.parse(await readCatalog(deps, { sql: NAMES_SQL, params })) as string[]
  const nearest = nearestName(named.name, names)
  throw noSuchTable(named, nearest === undefined ? undefined : `${named.schema}.${nearest}`, dbSchemas)
}

const SHOWN_LENGTH_MAX = 100

function noSuchTable(
  { schema, name }: QualifiedName,
  nearest: string | undefined,
  dbSchemas: readonly string[],
): DomainError {
  const shown = (text: string) => text.slice(0, SHOWN_LENGTH_MAX).toWellFormed()
  return new DomainError(
    'not_found',
    `No table or view is called "${shown(name)}" in the schema "${shown(schema)}".`,
    {
      hint:
        (nearest === undefined ? '' : `Did you mean "${nearest}"? `) +
        `Served are the schemas ${dbSchemas.join(', ')}; GET /v1/database/schema lists what is in them.`,
    },
  )
}
