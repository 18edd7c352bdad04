// Says which objects that a migration creates are in the database already, and what to do with it then. Runs none of
// it. What stands in an object (columns, bodies) is not compared, and what is dropped or renamed later not followed.

import type { PlatformDatabase } from '../../../db/database.ts'
import type { SqlRuntime } from '../../sql/run-sql.ts'
import { findExisting } from './existence.ts'
import { readCreations } from './read-creations.ts'
import { recommend } from './recommendation.ts'
import type { SchemaReport } from './schemas.ts'

export interface DetectSchemaDeps {
  platform: PlatformDatabase
  sql: SqlRuntime
  config: { dbExtraSearchPath: readonly string[] }
}

/**
 * Throws `invalid_sql` for what Postgres' grammar refuses, `payload_too_large` for more than 10 000 objects, and for
 * more than can be read in one call.
 */
export async function detectSchema(deps: DetectSchemaDeps, text: string): Promise<SchemaReport> {
  // A migration creates in `public` what it names without a schema.
  const searchPath = ['public', ...deps.config.dbExtraSearchPath]
  const creations = await readCreations(deps.sql.statements, text, searchPath)
  const existing = await findExisting(deps.platform, creations.objects)
  const findings = creations.objects.map(({ type, label }, i) => ({
    type,
    name: label,
    exists: existing[i] ?? false,
  }))
  const some = existing.includes(true)
  return {
    findings,
    all_objects_exist: some && !existing.includes(false) && creations.untold.length === 0,
    some_objects_exist: some,
    recommendation: recommend(findings, creations),
  }
}
