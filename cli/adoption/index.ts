// Moving into a database that exists (docs/adopt.md): what keeps Quoin's own migrations from running there, and what
// will not work once they have. Each finding is a paragraph, with the SQL that mends it where there is any.

import type { Client } from 'pg'
import type { MigrationDirection } from '../../src/features/migrations/runner/migration-steps.ts'
import { StackError } from '../support/output.ts'
import { withOwner } from '../support/owner-connection.ts'
import { readFacts } from './facts.ts'
import { type Finding, findingText } from './finding.ts'
import { limits, readLimitFacts } from './limits.ts'
import { obstacles, storageObstacles } from './obstacles.ts'

export const FIRST_OF_PLATFORM = '0001_create-roles-and-schema'
const STORAGE_OF_PLATFORM = '0012_create-storage'

/**
 * Throws a `StackError` with every reason why Quoin may not move into this database. Once it has, nothing is refused
 * but what keeps the schema of files from being made. Reads only. The client is of `withOwner`.
 */
export async function refuseUnadoptable(client: Client, direction: MigrationDirection): Promise<void> {
  const found = await findObstacles(client, direction)
  if (found.length === 0) return
  throw new StackError(
    "Quoin's own migrations cannot run in this database yet, and nothing has been changed. Below stands what is " +
      `missing, with the SQL that gives it; then migrate again (docs/adopt.md).\n${found.map(findingText).join('\n')}`,
  )
}

async function findObstacles(client: Client, direction: MigrationDirection): Promise<Finding[]> {
  const facts = await readFacts(client)
  if (!facts.has_own_books || !(await isApplied(client, FIRST_OF_PLATFORM))) return obstacles(facts)
  return direction === 'down' || (await isApplied(client, STORAGE_OF_PLATFORM)) ? [] : storageObstacles(facts)
}

async function isApplied(client: Client, name: string): Promise<boolean> {
  const sql = 'select from quoin.platform_migrations where name = $1'
  return (await client.query(sql, [name])).rowCount !== 0
}

/** What will not work in a database that has Quoin, as text; empty when all does. `schemas` are those of DB_SCHEMAS. */
export async function limitsText(databaseUrl: string, schemas: readonly string[]): Promise<string> {
  const found = await withOwner(databaseUrl, async client =>
    (await readLimitFacts(client, schemas)).flatMap(limits),
  )
  return found.map(findingText).join('\n')
}
