// A branch: a database beside this one, made of a backup. Its comment says of what, which is how it is listed.

import { escapeLiteral } from 'pg'
import { quoteIdentifier } from '../../src/db/sql.ts'
import {
  type BranchComment,
  isConnectedSql,
  readBranchComment,
  writeBranchComment,
} from '../../src/features/backups/branch-comment.ts'
import { StackError } from '../support/output.ts'
import { chosenBackup } from './chosen-backup.ts'
import { createDatabase, dropDatabase, urlOfDatabase } from './databases.ts'
import { restoreBackup } from './restore-backup.ts'
import { oneRow, withBackupSession } from './session.ts'
import { unlessStopped } from './unless-stopped.ts'

const NAME_BYTES_MAX = 63

export interface BranchSettings {
  readonly env: NodeJS.ProcessEnv
  readonly log: (line: string) => void
  /** Aborted: what was made is dropped at once. */
  readonly stopped?: AbortSignal
}

/**
 * Makes a branch of the newest backup and answers the name of its database. What fails leaves no database. Throws a
 * `StackError` where the name is taken, and what opening and restoring a backup throw.
 */
export async function makeBranch(
  url: string,
  name: string,
  { env, log, stopped }: BranchSettings,
): Promise<string> {
  const backup = await chosenBackup(url, undefined)
  log(`backup: ${backup.folder}`)
  const parent = (
    await withBackupSession(url, client =>
      oneRow<{ name: string }>(client, 'select current_database() as name'),
    )
  ).name
  const database = `${parent}_branch_${name}`
  if (Buffer.byteLength(database) > NAME_BYTES_MAX)
    throw new StackError(`${database} is too long for the name of a database: choose a shorter one`)
  await refuseTaken(url, database)
  await createDatabase(url, database, backup.manifest)
  const comment = {
    name,
    parent,
    created_at: new Date().toISOString(),
    backup_id: backup.manifest.id,
  }
  const branchUrl = urlOfDatabase(url, database)
  try {
    // Connected throughout, which tells it from one that was cut off.
    await withBackupSession(branchUrl, async () => {
      await writeComment(url, database, { ...comment, state: 'creating' })
      await unlessStopped(stopped, restoreBackup(branchUrl, backup, { life: 'copy', env, log }))
      await writeComment(url, database, { ...comment, state: 'ready' })
    })
  } catch (err) {
    await dropDatabase(url, database)
    throw err
  }
  return database
}

/** What a run has left that was cut off is dropped; anything else of that name is somebody's. */
async function refuseTaken(url: string, database: string): Promise<void> {
  const { rows } = await withBackupSession(url, client =>
    client.query<{ description: string | null; is_connected: boolean }>(
      `select shobj_description(oid, 'pg_database') as description, ${isConnectedSql('oid')} as is_connected
       from pg_database where datname = $1`,
      [database],
    ),
  )
  const [found] = rows
  if (found === undefined) return
  if (readBranchComment(found.description ?? '')?.state !== 'creating' || found.is_connected)
    throw new StackError(`there is a database ${database} already: drop it, or choose another name`)
  // Without force: whoever has connected since keeps it.
  await withBackupSession(url, client => client.query(`drop database ${quoteIdentifier(database)}`))
}

async function writeComment(url: string, database: string, comment: BranchComment): Promise<void> {
  const sql = `comment on database ${quoteIdentifier(database)} is ${escapeLiteral(writeBranchComment(comment))}`
  await withBackupSession(url, client => client.query(sql))
}
