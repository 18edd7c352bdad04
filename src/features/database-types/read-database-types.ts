// The types of a database as one file of TypeScript.

import { type CatalogReadDeps, readCatalog } from '../catalog/read-catalog.ts'
import { databaseText } from './database-text.ts'
import { parseTypeFacts, tooLargeForAnswer, typeFactsStatement } from './type-facts-sql.ts'

/** Of what the database answers, which is JSON inside JSON: less than an answer of it may have. */
const FACTS_BYTES_MAX = 6 * 1024 * 1024
/** Of the file. One relation may have rows, keys and views by the square of what there is. */
const TEXT_LENGTH_MAX = 16 * 1024 * 1024

/**
 * The file for the exposed schemas as they are now. One trip. Throws `response_too_large` for a schema that is larger
 * than an answer may be.
 */
export async function readDatabaseTypes(deps: CatalogReadDeps): Promise<string> {
  const { dbSchemas } = deps.config
  const facts = parseTypeFacts(await readCatalog(deps, typeFactsStatement(dbSchemas, FACTS_BYTES_MAX)))
  let left = TEXT_LENGTH_MAX
  return databaseText(facts, dbSchemas, length => {
    left -= length
    if (left < 0) throw tooLargeForAnswer()
  })
}
