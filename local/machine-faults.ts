// What is wrong with the machine and not with the stack, in one line for the user: a full disk, and a file or folder of
// another owner. Such faults can show anywhere, so they are looked for in whatever has been thrown.

import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { errorText } from '../cli/support/wait.ts'

/** As Node, Postgres and SQLite say it. */
const DISK_FULL = /ENOSPC|EDQUOT|no space left on device|disk quota exceeded|disk is full/i
const FORBIDDEN = new Set(['EACCES', 'EPERM', 'EROFS'])

/** The cause and what to do, when this error comes from a fault of the machine; undefined for any other. */
export function machineFault(err: unknown, dataDir: string): string | undefined {
  const text = errorText(err)
  const summary = text.split('\n')[0]?.replace(/:$/, '')
  if (DISK_FULL.test(text)) {
    return `the disk is full (${summary}): make room for ${dataDir}, or choose another folder with --data-dir`
  }
  if (isForbidden(err)) {
    const who = ownership(err.path)
    return `${who} (${summary}): make it writable for this user, or choose another folder with --data-dir`
  }
  return undefined
}

function isForbidden(err: unknown): err is Error & { path: string } {
  if (!(err instanceof Error && 'code' in err && 'path' in err)) return false
  return typeof err.path === 'string' && FORBIDDEN.has(String(err.code))
}

/** What is not there yet, or out of sight, is up to the folder that it is in. */
function ownership(path: string): string {
  try {
    const [owner, user] = [statSync(path).uid, process.getuid?.()]
    return owner === user
      ? `${path} cannot be written to`
      : `${path} belongs to user ${owner}, and this is user ${user}`
  } catch {
    return ownership(dirname(path))
  }
}
