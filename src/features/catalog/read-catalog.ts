// Asks the catalog while others may change it.

import type { PlatformDatabase } from '../../db/database.ts'
import { PostgresError } from '../../db/postgres-error.ts'
import type { Statement } from '../../db/sql.ts'

export interface CatalogReadDeps {
  platform: Pick<PlatformDatabase, 'forReading'>
  config: { dbSchemas: readonly string[] }
}

/** `cache lookup failed`: an expression names what is gone since its row was read. */
const INTERNAL_ERROR = 'XX000'

/** A table that somebody holds locked keeps all waiting who ask about it. */
const READING = 'catalog'

/**
 * The one text that the statement answers. Postgres writes expressions by the catalog as it is at that moment: where a
 * function of one has just been dropped it fails, and the statement is run once more.
 */
export async function readCatalog(
  { platform }: CatalogReadDeps,
  { sql, params }: Statement<string>,
): Promise<string> {
  const read = async () => {
    const [[text] = []] = await platform.forReading(READING).texts(sql, params, 'repeatable')
    if (typeof text !== 'string') throw new Error('the query of the catalog answers one text')
    return text
  }
  try {
    return await read()
  } catch (err) {
    if (err instanceof PostgresError && err.code === INTERNAL_ERROR) return await read()
    throw err
  }
}
