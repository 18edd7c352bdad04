// Moving into a database that exists (docs/adopt.md): what keeps Quoin's own migrations from running there, and what
// will not work once they have. Each finding is a paragraph, with the SQL that mends it where there is any.

import type { Client } from 'pg'
import { StackError } from '../support/output.ts'
import { withOwner } from '../support/owner-connection.ts'
import { readFacts } from './facts.ts'
import { findingText } from './finding.ts'
import { limits, readLimitFacts } from './limits.ts'
import { obstacles } from './obstacles.ts'

export const FIRST_OF_PLATFORM = '0001_create-roles-and-schema'

/**
 * Throws a `StackError` with every reason why Quoin may not move into this database. Once it has, nothing is refused.
 * Reads only. The client is of `withOwner`.
 */
export async function refuseUnadoptable(client: Client): Promise<void> {
  const facts = await readFacts(client)
  if (facts.has_own_books && (await hasMovedIn(client))) return
  const found = obstacles(facts)
  if (found.length === 0) return
  throw new StackError(
    'Quoin cannot move into this database yet, and nothing has been changed. Below stands what is missing, with the ' +
      `SQL that gives it; then migrate again (docs/adopt.md).\n${found.map(findingText).join('\n')}`,
  )
}

async function hasMovedIn(client: Client): Promise<boolean> {
  const sql = 'select from quoin.platform_migrations where name = $1'
  return (await client.query(sql, [FIRST_OF_PLATFORM])).rowCount !== 0
}

/** What will not work in a database that has Quoin, as text; empty when all does. `schemas` are those of DB_SCHEMAS. */
export async function limitsText(databaseUrl: string, schemas: readonly string[]): Promise<string> {
  const found = await withOwner(databaseUrl, async client =>
    (await readLimitFacts(client, schemas)).flatMap(limits),
  )
  return found.map(findingText).join('\n')
}
