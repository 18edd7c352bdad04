// The tables that the data API serves, with everything that a person needs to read and change their rows.

import type { PlatformDatabase } from '../../db/database.ts'
import type { DatabaseTables } from './schemas.ts'
import { parseTables, tablesStatement } from './tables-sql.ts'

interface ListTablesDeps {
  platform: Pick<PlatformDatabase, 'texts'>
  config: { dbSchemas: readonly string[] }
}

/** Every relation of the exposed schemas, also those that no role was granted, as it is now. One trip. */
export async function listTables({ platform, config }: ListTablesDeps): Promise<DatabaseTables> {
  const { sql, params } = tablesStatement(config.dbSchemas)
  const [[text] = []] = await platform.texts(sql, params, 'repeatable')
  return parseTables(text ?? '{"tables":[],"complete":true}')
}
