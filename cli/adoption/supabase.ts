// What schemas and policies of Supabase name, in a database that Quoin is in (docs/adopt.md). `supabase.sql` makes it.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Client } from 'pg'
import { StackError } from '../support/output.ts'
import { withOwner } from '../support/owner-connection.ts'
import { PROJECT_DIR } from '../support/project.ts'
import { readFactsForUsers } from './facts.ts'
import { findingText } from './finding.ts'
import { FIRST_OF_PLATFORM, isQuoinThere } from './index.ts'
import { obstaclesOfUsers } from './obstacles.ts'

const SQL_FILE = join(PROJECT_DIR, 'cli/adoption/supabase.sql')

/**
 * Makes what is not there yet, all of it or nothing; tells `log` of each object whether it was made or was there.
 * Throws a `StackError` where Quoin is not in the database, and one with all by which signed-in persons, or whoever
 * sends SQL, could become somebody stronger: then nothing is changed.
 */
export async function adoptSupabase(databaseUrl: string, log: (line: string) => void): Promise<void> {
  const sql = await readFile(SQL_FILE, 'utf8')
  await withOwner(databaseUrl, async client => {
    if (!(await isQuoinThere(client))) {
      throw new StackError(
        `Quoin is not in this database yet (it has no ${FIRST_OF_PLATFORM}). First run ` +
          'npm run migrate -- up --platform.',
      )
    }
    await refuseStronger(client)
    client.on('notice', ({ message = '' }) => log(message))
    await client.query(sql)
  })
}

async function refuseStronger(client: Client): Promise<void> {
  const { rows } = await client.query<{ makes_owner: boolean }>(
    "select to_regnamespace('auth') is null as makes_owner",
  )
  const found = obstaclesOfUsers(await readFactsForUsers(client), {
    makesOwner: rows[0]?.makes_owner === true,
  })
  if (found.length === 0) return
  throw new StackError(
    'Callers could become somebody stronger here, and nothing has been changed. Below stands how, with the SQL that ' +
      `mends it; then run this again (docs/adopt.md).\n${found.map(findingText).join('\n')}`,
  )
}
