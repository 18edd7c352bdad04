// `npm run restore -- BACKUP [--other-locale]`: restores the backup in the folder BACKUP into the empty database that
// DATABASE_URL names. docs/backup.md

import { parseArgs } from 'node:util'
import { openBackup } from './backup/read-backup.ts'
import { restoreBackup } from './backup/restore-backup.ts'
import { logLine, runCommand, UsageError } from './support/command.ts'
import { shownDatabase } from './support/owner-url.ts'

const USAGE =
  'DATABASE_URL=postgres://OWNER:...@HOST/EMPTY_DATABASE npm run restore -- BACKUP [--other-locale]; ' +
  'BACKUP is a folder that `npm run backup` made'

runCommand(USAGE, async () => {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { 'other-locale': { type: 'boolean', default: false } },
  })
  const [folder, ...rest] = positionals
  const url = process.env.DATABASE_URL
  // Never the running local stack's: that is not empty.
  if (folder === undefined || rest.length > 0) throw new UsageError()
  if (!url) throw new UsageError('DATABASE_URL is not set: it names the empty database')
  logLine(`database: ${shownDatabase(url)}`)
  const backup = await openBackup(folder)
  await restoreBackup(url, backup, {
    life: 'new',
    otherLocale: values['other-locale'],
    env: process.env,
    log: logLine,
  })
  const { tables } = backup.manifest
  process.stdout.write(
    `restored ${tables.length} tables. Now give authenticator a password where the role is new, and run ` +
      '`npm run migrate`, which applies what is newer than the backup.\n',
  )
})
