// `npm run migrate` [up|down]: applies all pending migrations, or takes back the last one, in the database that
// DATABASE_URL names (the owner's connection string); without it, in that of the running local stack.

import { resolve } from 'node:path'
import { DatabaseError } from 'pg'
import { runMigrations } from '../local/migrations.ts'
import { errorText } from '../local/wait.ts'
import { ownerUrl, shownDatabase } from './owner-url.ts'

async function main(): Promise<void> {
  const [direction = 'up', ...rest] = process.argv.slice(2)
  if ((direction !== 'up' && direction !== 'down') || rest.length > 0) {
    throw new Error('usage: npm run migrate -- [up|down]; down takes back the last migration')
  }
  const url = ownerUrl(process.env, resolve('.quoin'))
  process.stderr.write(`database: ${shownDatabase(url)}\n`)
  const done = await runMigrations(url, direction, line => process.stderr.write(`${line}\n`))
  const verb = direction === 'up' ? 'applied' : 'taken back'
  process.stdout.write(done.length === 0 ? 'nothing to do\n' : `${verb}: ${done.join(', ')}\n`)
}

main().catch(err => {
  const detail = err instanceof DatabaseError && err.detail ? `\n${err.detail}` : ''
  process.stderr.write(`quoin: ${errorText(err)}${detail}\n`)
  process.exit(1)
})
