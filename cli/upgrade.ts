// `npm run upgrade [-- --yes] [--to DIR]`: brings the database that DATABASE_URL names to this checkout. It says what
// would change, takes a backup, applies the migrations and looks whether all is as it should be. docs/upgrade.md

import { resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { parseArgs } from 'node:util'
import { hasRecords, recordAfterwards } from './backup/records.ts'
import { withBackupSession } from './backup/session.ts'
import { type MadeBackup, makeBackup } from './backup/write-backup.ts'
import { pendingMigrations, runMigrations } from './migrations.ts'
import { logLine, runCommand, stopSignal, UsageError } from './support/command.ts'
import { StackError } from './support/output.ts'
import { ownerUrl, shownDatabase } from './support/owner-url.ts'
import { readSchemas } from './support/schemas.ts'
import { errorText } from './support/wait.ts'
import { upgradeProblems } from './upgrade/problems.ts'

const USAGE =
  'npm run upgrade -- [--yes] [--to FOLDER]; it asks before it changes anything, unless --yes is there, ' +
  'and takes a backup into FOLDER, which is `backups` unless said'

const NEXT =
  'Next: start the SQL gateway anew (not on Neon), `npm run deploy`, and start the listener anew; ' +
  'then `GET /v1/status`.'

runCommand(USAGE, async () => {
  const { values } = parseArgs({
    options: { yes: { type: 'boolean', default: false }, to: { type: 'string', default: 'backups' } },
  })
  if (values.to === '') throw new UsageError('--to names no folder')
  const url = ownerUrl(process.env, resolve('.quoin'))
  logLine(`database: ${shownDatabase(url)}`)
  const pending = await pendingMigrations(url)
  if (pending.platform.length === 0 && pending.user.length === 0) {
    await refuseProblems(url)
    process.stdout.write(`the database is up to date. ${NEXT}\n`)
    return
  }
  logLine(`Quoin's own migrations to apply: ${pending.platform.join(', ') || 'none'}`)
  logLine(`yours: ${pending.user.join(', ') || 'none'}`)
  if (!values.yes && !(await isAgreed())) throw new StackError('nothing was changed')
  const backup = await makeBackup(url, {
    folder: values.to,
    env: process.env,
    log: logLine,
    stopped: stopSignal(),
  })
  logLine(`backup: ${backup.location}`)
  const extraSearchPath = readSchemas('DB_EXTRA_SEARCH_PATH')
  try {
    await runMigrations(url, 'up', ['platform', 'user'], logLine, extraSearchPath)
  } catch (err) {
    logLine(
      `not all is applied. What was before is in ${backup.location}; docs/upgrade.md says how to go back`,
    )
    throw err
  } finally {
    await recordHere(url, backup)
  }
  await refuseProblems(url)
  process.stdout.write(`upgraded; the backup from before is ${backup.location}. ${NEXT}\n`)
})

/**
 * A database that has had no list of backups has one now, unless the migration that makes it has failed. The backup is
 * there whether it is listed or not: so a failure is said, and hides nothing of what the migrations came to.
 */
async function recordHere(url: string, { manifest, location, sizeBytes }: MadeBackup): Promise<void> {
  const made = { lsn: manifest.lsn, sizeBytes, startedAt: manifest.started_at }
  try {
    await withBackupSession(url, async client => {
      if (await hasRecords(client)) await recordAfterwards(client, { id: manifest.id, location }, made)
    })
  } catch (err) {
    logLine(`the database could not be told of the backup: ${errorText(err)}`)
  }
}

async function refuseProblems(url: string): Promise<void> {
  const problems = await withBackupSession(url, upgradeProblems)
  if (problems.length > 0)
    throw new StackError(`the migrations are applied, but:\n  ${problems.join('\n  ')}`)
}

/** Where nobody can answer, nobody has agreed. */
async function isAgreed(): Promise<boolean> {
  if (!process.stdin.isTTY) {
    logLine('nobody is there to ask: run it with --yes')
    return false
  }
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return /^y(?:es)?$/i.test((await lines.question('Take a backup and apply them? [y/N] ')).trim())
  } finally {
    lines.close()
  }
}
