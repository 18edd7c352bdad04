// Processor time of a process, for the cost of one request in each of the processes that serve it. Linux only.

import { readFileSync } from 'node:fs'

/** Clock ticks a second in /proc: 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100

/** Seconds of processor time that the process has used, or NaN where the system does not tell. */
export function cpuSeconds(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
  } catch {
    // No /proc, or the process is gone: the table shows a gap.
    return Number.NaN
  }
}
