// `npm run backup [-- --to DIR]`: a backup of the database that DATABASE_URL names, as a folder below DIR (`backups`
// unless said). Prints the folder alone on standard output. docs/backup.md

import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { shownBytes } from './backup/manifest.ts'
import { makeBackup } from './backup/write-backup.ts'
import { logLine, runCommand, stopSignal, UsageError } from './support/command.ts'
import { ownerUrl, shownDatabase } from './support/owner-url.ts'

const USAGE =
  'npm run backup -- [--to FOLDER]; the backup is a new folder below FOLDER, which is `backups` unless said'

runCommand(USAGE, async () => {
  const { values } = parseArgs({ options: { to: { type: 'string', default: 'backups' } } })
  // A variable of the shell that is not set: all rows would go to where the command happens to run.
  if (values.to === '') throw new UsageError('--to names no folder')
  const url = ownerUrl(process.env, resolve('.quoin'))
  logLine(`database: ${shownDatabase(url)}`)
  const { location, manifest, sizeBytes } = await makeBackup(url, {
    folder: values.to,
    env: process.env,
    log: logLine,
    stopped: stopSignal(),
  })
  if (manifest.secrets_key === null)
    logLine(
      'SECRETS_KEY is not in a backup: keep it elsewhere. It was not set here, so a restore cannot compare it.',
    )
  else logLine('SECRETS_KEY is not in a backup: keep it elsewhere. A restore says whether it is the same.')
  logLine(`${shownBytes(sizeBytes)}. Prove it with \`npm run backup:verify\`. It is in:`)
  process.stdout.write(`${location}\n`)
})
