// One stack per folder: wrangler and Postgres do not notice a second one on the same data. The lock is SQLite's lock on
// a file. The kernel lets go of it however this process ends, so that a lock is never left behind.

import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StackError } from '../cli/support/output.ts'

const SQLITE_BUSY = 5

/** Holds the folder until this process ends; throws a `StackError` naming the process that holds it already. */
export function lockFolder(dataDir: string): void {
  const lockFile = join(dataDir, 'lock')
  // SQLite would open a file that this user may not write, and names none that it cannot open.
  closeSync(openSync(lockFile, 'a'))
  const database = new DatabaseSync(lockFile)
  const ownerFile = join(dataDir, 'lock.owner')
  try {
    database.exec('pragma locking_mode = exclusive; pragma journal_mode = off; begin exclusive')
  } catch (err) {
    if (!isBusy(err)) throw err
    throw new StackError(
      `${dataDir} is in use by process ${readOwner(ownerFile)}: end that one, ` +
        'or start beside it with --free-ports --data-dir FOLDER',
    )
  }
  held.push(database)
  writeFileSync(ownerFile, `${process.pid}\n`)
}

/** A database that is collected as garbage would give up its lock. */
const held: DatabaseSync[] = []

function isBusy(err: unknown): boolean {
  return err instanceof Error && 'errcode' in err && err.errcode === SQLITE_BUSY
}

function readOwner(ownerFile: string): string {
  try {
    return readFileSync(ownerFile, 'utf8').trim()
  } catch {
    // Locked an instant ago, and not written yet.
    return 'another process'
  }
}
