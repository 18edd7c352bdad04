// `npm run migrate` [up|down] [--platform]: applies all pending migrations, Quoin's own and then the user's, or takes
// back the user's last one. With --platform it is about Quoin's own alone. It works in the database that DATABASE_URL
// names (the owner's connection string); without it, in that of the running local stack.

import { resolve } from 'node:path'
import { DatabaseError } from 'pg'
import { Variables } from '../src/config.ts'
import { DomainError } from '../src/errors.ts'
import { FIRST_OF_PLATFORM, limitsText } from './adoption/index.ts'
import { type MigrationDirection, type MigrationKind, runMigrations } from './migrations.ts'
import { ownerUrl, shownDatabase } from './support/owner-url.ts'
import { errorText } from './support/wait.ts'

const USAGE =
  'usage: npm run migrate -- [up|down] [--platform]; ' +
  "down takes back your last migration, with --platform Quoin's own last one"

async function main(): Promise<void> {
  const args = process.argv.slice(2)
  const { direction, kinds } = readArguments(args)
  const url = ownerUrl(process.env, resolve('.quoin'))
  process.stderr.write(`database: ${shownDatabase(url)}\n`)
  const schemas = readSchemas('DB_SCHEMAS')
  const extraSearchPath = readSchemas('DB_EXTRA_SEARCH_PATH')
  const log = (line: string) => process.stderr.write(`${line}\n`)
  const done = await runMigrations(url, direction, kinds, log, extraSearchPath)
  const verb = direction === 'up' ? 'applied' : 'taken back'
  process.stdout.write(done.length === 0 ? 'nothing to do\n' : `${verb}: ${done.join(', ')}\n`)
  // A table may be closed on purpose: so it is said when Quoin has moved in, and to whoever asks for it.
  if (direction === 'up' && (args.includes('--platform') || done.includes(FIRST_OF_PLATFORM))) {
    const limits = await limitsText(url, schemas)
    if (limits !== '') process.stderr.write(`\nThe migrations are applied. What will not work:\n${limits}\n`)
  }
}

/** As the Worker reads them. */
function readSchemas(name: 'DB_SCHEMAS' | 'DB_EXTRA_SEARCH_PATH'): readonly string[] {
  const { data, error } = Variables.shape[name].safeParse(process.env[name] || undefined)
  if (error) throw new Error(`${name} ${error.issues.map(({ message }) => message).join('; ')}`)
  return data
}

function readArguments(args: readonly string[]): { direction: MigrationDirection; kinds: MigrationKind[] } {
  const [direction = 'up', ...rest] = args.filter(arg => arg !== '--platform')
  if ((direction !== 'up' && direction !== 'down') || rest.length > 0) throw new Error(USAGE)
  if (args.includes('--platform')) return { direction, kinds: ['platform'] }
  return { direction, kinds: direction === 'up' ? ['platform', 'user'] : ['user'] }
}

main().catch(err => {
  const more = err instanceof DatabaseError || err instanceof DomainError ? [err.detail, err.hint] : []
  process.stderr.write(`quoin: ${[errorText(err), ...more].filter(Boolean).join('\n')}\n`)
  process.exit(1)
})
