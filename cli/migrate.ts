// `npm run migrate` [up|down] [--platform]: applies all pending migrations, Quoin's own and then the user's, or takes
// back the user's last one. With --platform it is about Quoin's own alone. It works in the database that DATABASE_URL
// names (the owner's connection string); without it, in that of the running local stack.

import { resolve } from 'node:path'
import { FIRST_OF_PLATFORM, limitsText } from './adoption/index.ts'
import { type MigrationDirection, type MigrationKind, runMigrations } from './migrations.ts'
import { logLine, runCommand, UsageError } from './support/command.ts'
import { ownerUrl, shownDatabase } from './support/owner-url.ts'
import { readSchemas } from './support/schemas.ts'

const USAGE =
  'npm run migrate -- [up|down] [--platform]; ' +
  "down takes back your last migration, with --platform Quoin's own last one"

async function main(): Promise<void> {
  const args = process.argv.slice(2)
  const { direction, kinds } = readArguments(args)
  const url = ownerUrl(process.env, resolve('.quoin'))
  process.stderr.write(`database: ${shownDatabase(url)}\n`)
  const schemas = readSchemas('DB_SCHEMAS')
  const extraSearchPath = readSchemas('DB_EXTRA_SEARCH_PATH')
  const done = await runMigrations(url, direction, kinds, logLine, extraSearchPath)
  const verb = direction === 'up' ? 'applied' : 'taken back'
  process.stdout.write(done.length === 0 ? 'nothing to do\n' : `${verb}: ${done.join(', ')}\n`)
  // A table may be closed on purpose: so it is said when Quoin has moved in, and to whoever asks for it.
  if (direction === 'up' && (args.includes('--platform') || done.includes(FIRST_OF_PLATFORM))) {
    const limits = await limitsText(url, schemas)
    if (limits !== '') process.stderr.write(`\nThe migrations are applied. What will not work:\n${limits}\n`)
  }
}

function readArguments(args: readonly string[]): { direction: MigrationDirection; kinds: MigrationKind[] } {
  const [direction = 'up', ...rest] = args.filter(arg => arg !== '--platform')
  if ((direction !== 'up' && direction !== 'down') || rest.length > 0) throw new UsageError()
  if (args.includes('--platform')) return { direction, kinds: ['platform'] }
  return { direction, kinds: direction === 'up' ? ['platform', 'user'] : ['user'] }
}

runCommand(USAGE, main)
