// Processor time of a process and of all below it, for the cost of one request in each of the servers that share in it.
// Linux only.

import { readdirSync, readFileSync } from 'node:fs'

/** Clock ticks a second in /proc: 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100

/**
 * Seconds of processor time that these processes have used, each with its children, those that have ended included:
 * Postgres is one process a connection. NaN where the system does not tell.
 */
export function cpuSeconds(pids: readonly number[]): number[] {
  const all = readAll()
  const childrenOf = Map.groupBy(all.values(), ({ parent }) => parent)
  const secondsOf = (pid: number): number => {
    const own = all.get(pid)?.seconds ?? Number.NaN
    return (childrenOf.get(pid) ?? []).reduce((sum, child) => sum + secondsOf(child.pid), own)
  }
  return pids.map(secondsOf)
}

interface Times {
  pid: number
  parent: number
  seconds: number
}

function readAll(): Map<number, Times> {
  const all = new Map<number, Times>()
  for (const name of listProc()) {
    const fields = readStat(name)
    // User and system time, of itself and of the children that have ended.
    const ticks = [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0)
    all.set(Number(name), { pid: Number(name), parent: Number(fields[1]), seconds: ticks / TICKS_PER_SECOND })
  }
  return all
}

function listProc(): string[] {
  try {
    return readdirSync('/proc').filter(name => /^\d+$/.test(name))
  } catch {
    return []
  }
}

/** The fields behind the program's name, which may hold spaces; none when the process is gone. */
function readStat(name: string): string[] {
  try {
    return readFileSync(`/proc/${name}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
  } catch {
    return []
  }
}
