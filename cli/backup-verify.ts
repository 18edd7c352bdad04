// `npm run backup:verify [-- BACKUP]`: restores the newest backup of the database that DATABASE_URL names, or the one
// in the folder BACKUP, into a database beside it, compares, looks for some of its files, and drops that database
// again. docs/backup.md

import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { chosenBackup } from './backup/chosen-backup.ts'
import { verifyBackup } from './backup/verify-backup.ts'
import { logLine, runCommand, stopSignal, UsageError } from './support/command.ts'
import { ownerUrl, shownDatabase } from './support/owner-url.ts'
import { serviceOf } from './support/service.ts'

const USAGE =
  'npm run backup:verify -- [BACKUP]; BACKUP is a folder that `npm run backup` made, the newest unless said'

runCommand(USAGE, async () => {
  const { positionals } = parseArgs({ allowPositionals: true })
  const [folder, ...rest] = positionals
  if (rest.length > 0) throw new UsageError()
  const url = ownerUrl(process.env, resolve('.quoin'))
  logLine(`database: ${shownDatabase(url)}`)
  const backup = await chosenBackup(url, folder)
  logLine(`backup: ${backup.folder}`)
  const { files, checked } = await verifyBackup(url, backup, {
    env: process.env,
    log: logLine,
    stopped: stopSignal(),
    service: serviceOf(process.env, resolve('.quoin'), url),
  })
  if (checked === null)
    logLine(
      `${files} files were not looked for: set BASE_URL to the address of the Worker, and SERVICE_ROLE_KEY to a ` +
        'service_role key of it',
    )
  const { tables } = backup.manifest
  const rowCount = tables.reduce((sum, { row_count }) => sum + row_count, 0)
  const ofFiles = checked ? `; ${checked} of ${files} files were looked for and are there` : ''
  process.stdout.write(
    `verified: ${tables.length} tables with ${rowCount} rows are as they were saved${ofFiles}\n`,
  )
})
