// The whole schema that the data API serves.

import { type CatalogReadDeps, readCatalog } from './read-catalog.ts'
import type { DatabaseSchema } from './structure.ts'
import { parseSchema, SCHEMA_ADDITIONS } from './structure-sql.ts'
import { relationsStatement } from './tables-sql.ts'

/** Relations, functions and types of the exposed schemas as they are now, within bounds. One trip. */
export async function readSchema(deps: CatalogReadDeps): Promise<DatabaseSchema> {
  return parseSchema(await readCatalog(deps, relationsStatement(deps.config.dbSchemas, SCHEMA_ADDITIONS)))
}
