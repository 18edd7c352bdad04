// The tables that the data API serves, with everything that a person needs to read and change their rows.

import { type CatalogReadDeps, readCatalog } from './read-catalog.ts'
import type { DatabaseTables } from './schemas.ts'
import { parseTables, relationsStatement } from './tables-sql.ts'

/** Every relation of the exposed schemas, also those that no role was granted, as it is now. One trip. */
export async function listTables(deps: CatalogReadDeps): Promise<DatabaseTables> {
  return parseTables(await readCatalog(deps, relationsStatement(deps.config.dbSchemas)))
}
