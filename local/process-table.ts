// Which processes are there, in which group, and whose: what a stack that was killed has left behind is found here.
// Linux reads /proc; elsewhere `ps` is asked, which shows the same in one text.

import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** The variable that marks every process of a stack; its value is the stack's data folder. */
export const STACK_MARK = 'QUOIN_STACK'

export interface ProcessEntry {
  readonly pid: number
  readonly groupId: number
  /** Everything by which a process can be told to be ours: command line, environment, working folder. */
  readonly identity: string
}

/** All processes that are alive; those that we may not look into have an empty identity. */
export function listProcesses(): ProcessEntry[] {
  return process.platform === 'linux' ? listFromProc() : listFromPs()
}

/** True for a process that the stack of this folder started; Postgres is known by its working folder. */
export function isOfStack(entry: ProcessEntry, dataDir: string): boolean {
  const { identity } = entry
  return identity.includes(`${STACK_MARK}=${dataDir}\n`) || identity.includes(`\n${dataDir}/`)
}

function listFromProc(): ProcessEntry[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .flatMap(name => {
      const entry = readProcEntry(name)
      return entry === undefined ? [] : [entry]
    })
}

function readProcEntry(name: string): ProcessEntry | undefined {
  const stat = attempt(() => readFileSync(`/proc/${name}/stat`, 'utf8'))
  // The name of the program stands in parentheses and may hold any character: state, parent and group follow the last
  // one.
  const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (state === undefined || group === undefined || state === 'Z' || state === 'X' || stat === '')
    return undefined
  const folder = attempt(() => readlinkSync(`/proc/${name}/cwd`))
  const command = attempt(() => readFileSync(`/proc/${name}/cmdline`, 'utf8'))
  const environment = attempt(() => readFileSync(`/proc/${name}/environ`, 'utf8'))
  const identity = `\n${folder}/\n${command}\n${environment}\n`.replaceAll('\0', '\n')
  return { pid: Number(name), groupId: Number(group), identity }
}

function listFromPs(): ProcessEntry[] {
  // -E adds the environment of our own processes on macOS; a space is all that separates the words there.
  const flags = process.platform === 'darwin' ? ['-A', '-E', '-ww'] : ['-A', '-ww']
  const text = execFileSync('ps', [...flags, '-o', 'pid=,pgid=,command='], {
    encoding: 'utf8',
    timeout: 5_000,
  })
  return text.split('\n').flatMap(line => {
    const match = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line)
    if (match === null) return []
    const identity = `\n${match[3]?.replaceAll(' ', '\n')}\n`
    return [{ pid: Number(match[1]), groupId: Number(match[2]), identity }]
  })
}

/** Empty for what is gone by now or belongs to another user. */
function attempt(read: () => string): string {
  try {
    return read()
  } catch {
    return ''
  }
}
