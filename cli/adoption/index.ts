// Moving into a database that exists (docs/adopt.md): what keeps Quoin's own migrations from running there, and what
// will not work once they have. Each finding is a paragraph, with the SQL that mends it where there is any.

import type { Client } from 'pg'
import type { MigrationDirection } from '../../src/features/migrations/runner/migration-steps.ts'
import { StackError } from '../support/output.ts'
import { withOwner } from '../support/owner-connection.ts'
import { readFacts } from './facts.ts'
import { type Finding, findingText } from './finding.ts'
import { limits, readLimitFacts } from './limits.ts'
import { type LaterPart, laterObstacles, obstacles } from './obstacles.ts'

export const FIRST_OF_PLATFORM = '0001_create-roles-and-schema'
/** Parts that came later, by the migration that makes them. */
const LATER_PARTS: Readonly<Record<string, LaterPart>> = {
  '0012_create-storage': { roles: ['quoin_storage'], schema: 'storage' },
  '0014_create-realtime': { roles: [], schema: 'realtime' },
}

/**
 * Throws a `StackError` with every reason why Quoin may not move into this database. Once it has, nothing is refused
 * but what keeps the schemas of later parts from being made. Reads only. The client is of `withOwner`.
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
  if (direction === 'down') return []
  const missing: LaterPart[] = []
  for (const [migration, part] of Object.entries(LATER_PARTS))
    if (!(await isApplied(client, migration))) missing.push(part)
  return laterObstacles(facts, missing)
}

async function isApplied(client: Client, name: string): Promise<boolean> {
  const sql = 'select from quoin.platform_migrations where name = $1'
  return (await client.query(sql, [name])).rowCount !== 0
}

/** Whether Quoin has moved in, as this owner. */
export async function isQuoinThere(client: Client): Promise<boolean> {
  const facts = await readFacts(client)
  return facts.has_own_books && (await isApplied(client, FIRST_OF_PLATFORM))
}

/** What will not work in a database that has Quoin, as text; empty when all does. `schemas` are those of DB_SCHEMAS. */
export async function limitsText(databaseUrl: string, schemas: readonly string[]): Promise<string> {
  const found = await withOwner(databaseUrl, async client =>
    (await readLimitFacts(client, schemas)).flatMap(limits),
  )
  return found.map(findingText).join('\n')
}
