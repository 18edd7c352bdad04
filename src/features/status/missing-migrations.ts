// Whether the database has all of Quoin's own migrations that this Worker was built with, for `GET /v1/status`.

import type { PlatformDatabase } from '../../db/database.ts'
import { writeArrayLiteral } from '../../lib/array-literal.ts'
import { deadline } from '../../lib/deadline.ts'
import { PROBE_TIMEOUT_MS } from './probe.ts'

const MISSING_SQL = `
  select own.name from unnest($1::text[]) with ordinality own (name, place)
  where not exists (select from quoin.platform_migrations m where m.name = own.name)
  order by own.place`

/** Names of those that it lacks, in order; null where that cannot be asked. */
export async function missingMigrations(
  platform: Pick<PlatformDatabase, 'query'>,
  names: readonly string[],
): Promise<string[] | null> {
  try {
    const question = platform.query<{ name: string }>(MISSING_SQL, [writeArrayLiteral(names)], 'repeatable')
    const rows = await deadline(PROBE_TIMEOUT_MS, question)
    return rows.map(({ name }) => name)
  } catch {
    return null
  }
}
