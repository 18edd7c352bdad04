// Which backup a command is about.

import { StackError } from '../support/output.ts'
import { type Backup, openBackup } from './read-backup.ts'
import { newestLocation } from './records.ts'
import { withBackupSession } from './session.ts'

/** The backup in this folder, else the newest that the database knows of. Throws as `openBackup`. */
export async function chosenBackup(url: string, folder: string | undefined): Promise<Backup> {
  const place = folder ?? (await withBackupSession(url, newestLocation))
  if (place === undefined)
    throw new StackError('this database has no backup yet: make one with `npm run backup`')
  return openBackup(place)
}
