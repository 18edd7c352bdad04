// `npm run migrate` [up|down] [--platform]: applies all pending migrations, Quoin's own and then the user's, or takes
// back the user's last one. With --platform it is about Quoin's own alone. It works in the database that DATABASE_URL
// names (the owner's connection string); without it, in that of the running local stack.

import { resolve } from 'node:path'
import { DatabaseError } from 'pg'
import { type MigrationDirection, type MigrationKind, runMigrations } from '../local/migrations.ts'
import { errorText } from '../local/wait.ts'
import { Variables } from '../src/config.ts'
import { ownerUrl, shownDatabase } from './owner-url.ts'

const USAGE =
  'usage: npm run migrate -- [up|down] [--platform]; ' +
  "down takes back your last migration, with --platform Quoin's own last one"

async function main(): Promise<void> {
  const { direction, kinds } = readArguments(process.argv.slice(2))
  const url = ownerUrl(process.env, resolve('.quoin'))
  process.stderr.write(`database: ${shownDatabase(url)}\n`)
  const extraSearchPath = Variables.shape.DB_EXTRA_SEARCH_PATH.parse(
    process.env.DB_EXTRA_SEARCH_PATH || undefined,
  )
  const log = (line: string) => process.stderr.write(`${line}\n`)
  const done = await runMigrations(url, direction, kinds, log, extraSearchPath)
  const verb = direction === 'up' ? 'applied' : 'taken back'
  process.stdout.write(done.length === 0 ? 'nothing to do\n' : `${verb}: ${done.join(', ')}\n`)
}

function readArguments(args: readonly string[]): { direction: MigrationDirection; kinds: MigrationKind[] } {
  const [direction = 'up', ...rest] = args.filter(arg => arg !== '--platform')
  if ((direction !== 'up' && direction !== 'down') || rest.length > 0) throw new Error(USAGE)
  if (args.includes('--platform')) return { direction, kinds: ['platform'] }
  return { direction, kinds: direction === 'up' ? ['platform', 'user'] : ['user'] }
}

main().catch(err => {
  const detail = err instanceof DatabaseError && err.detail ? `\n${err.detail}` : ''
  process.stderr.write(`quoin: ${errorText(err)}${detail}\n`)
  process.exit(1)
})
