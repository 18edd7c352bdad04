// `npm run types:database -- --out src/database.types.ts`: the schema as a file of TypeScript for supabase-js, of the
// database that DATABASE_URL names; without it, of that of the running local stack. DB_SCHEMAS says which schemas.

import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { databaseText } from '../src/features/database-types/database-text.ts'
import type { DatabaseFacts } from '../src/features/database-types/type-facts.ts'
import { parseTypeFacts, typeFactsStatement } from '../src/features/database-types/type-facts-sql.ts'
import { logLine, runCommand, UsageError } from './support/command.ts'
import { withOwner } from './support/owner-connection.ts'
import { ownerUrl, shownDatabase } from './support/owner-url.ts'
import { readSchemas } from './support/schemas.ts'

const USAGE =
  'npm run types:database -- [--out FILE]; without a file, with --silent before it, to standard output'

runCommand(USAGE, async () => {
  const { values } = parseArgs({ options: { out: { type: 'string' } } })
  const { out } = values
  if (out === '') throw new UsageError()
  const schemas = readSchemas('DB_SCHEMAS')
  const url = ownerUrl(process.env, resolve('.quoin'))
  logLine(`database: ${shownDatabase(url)}`)
  const facts = await readFacts(url, schemas)
  for (const schema of schemas.filter(name => isEmpty(facts, name)))
    logLine(`In the schema ${schema} there is nothing: does DB_SCHEMAS name the right ones?`)
  const text = databaseText(facts, schemas, () => {})
  if (out === undefined) {
    process.stdout.write(text)
    return
  }
  writeFileSync(out, text)
  logLine(`${out} has the types of ${schemas.join(', ')}. Write it anew after each migration, and use it so:`)
  logLine("  import type { Database } from './...'")
  logLine('  createClient<Database>(url, key)')
})

async function readFacts(url: string, schemas: readonly string[]): Promise<DatabaseFacts> {
  const { sql, params } = typeFactsStatement(schemas, Number.POSITIVE_INFINITY)
  const query = { text: sql, values: [...params], rowMode: 'array' as const }
  const { rows } = await withOwner(url, client => client.query<[string]>(query))
  return parseTypeFacts(rows[0]?.[0] ?? '')
}

function isEmpty({ relations, functions, types }: DatabaseFacts, schema: string): boolean {
  return ![...relations, ...functions, ...types].some(fact => fact.schema === schema)
}
