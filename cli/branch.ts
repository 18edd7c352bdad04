// `npm run branch -- NAME`: a database beside the one that DATABASE_URL names, from its newest backup. On Neon its own
// branches are cheaper; this is for every other Postgres. docs/backup.md

import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { makeBranch } from './backup/make-branch.ts'
import { logLine, runCommand, stopSignal, UsageError } from './support/command.ts'
import { ownerUrl, shownDatabase } from './support/owner-url.ts'

const USAGE = 'npm run branch -- NAME; a name has 1 to 30 small letters, digits, - and _'

runCommand(USAGE, async () => {
  const { positionals } = parseArgs({ allowPositionals: true })
  const [name, ...rest] = positionals
  if (name === undefined || rest.length > 0 || !/^[a-z0-9_-]{1,30}$/.test(name)) throw new UsageError()
  const url = ownerUrl(process.env, resolve('.quoin'))
  logLine(`database: ${shownDatabase(url)}`)
  const database = await makeBranch(url, name, { env: process.env, log: logLine, stopped: stopSignal() })
  logLine(
    'Webhooks are paused there, and the outbox is empty. Put its name in place of the other one into DATABASE_URL',
  )
  logLine('and DATA_DATABASE_URL of a deployment that is to work on it. Drop it with `drop database`. It is:')
  process.stdout.write(`${database}\n`)
})
