// `npm run adopt -- supabase`: gives the database that DATABASE_URL names what schemas and policies of Supabase ask
// for, as far as it is not there (docs/adopt.md). Without DATABASE_URL it is that of the running local stack.

import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { adoptSupabase } from './adoption/supabase.ts'
import { runCommand, UsageError } from './support/command.ts'
import { ownerUrl, shownDatabase } from './support/owner-url.ts'

const USAGE = 'npm run adopt -- supabase'

async function main(): Promise<void> {
  const { positionals } = parseArgs({ allowPositionals: true })
  if (positionals.join(' ') !== 'supabase') throw new UsageError()
  const url = ownerUrl(process.env, resolve('.quoin'))
  process.stderr.write(`database: ${shownDatabase(url)}\n`)
  await adoptSupabase(url, line => process.stdout.write(`${line}\n`))
}

runCommand(USAGE, main)
