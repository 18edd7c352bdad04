// Resident memory of a process group's programs. Linux only.

import { readFileSync } from 'node:fs'
import { listProcesses } from '../local/process-table.ts'

/** The runtime itself, beside wrangler's own processes in one group. */
export const WORKERD = 'workerd'

/** Megabytes of the largest process of the group, of those whose name this is; NaN where the system does not tell. */
export function groupMemory(groupId: number, name?: string): number {
  const sizes = listProcesses()
    .filter(entry => entry.groupId === groupId)
    .map(({ pid }) => statusOf(pid))
    .filter(status => name === undefined || status.name === name)
    .map(({ megabytes }) => megabytes)
  return sizes.length === 0 ? Number.NaN : Math.round(Math.max(...sizes))
}

/** Megabytes of one process, now and at most so far; NaN where the system does not tell. */
export function processMemory(pid: number): { now: number; peak: number } {
  const { megabytes, peakMegabytes } = statusOf(pid)
  return { now: Math.round(megabytes), peak: Math.round(peakMegabytes) }
}

function statusOf(pid: number): { name: string; megabytes: number; peakMegabytes: number } {
  try {
    const text = readFileSync(`/proc/${pid}/status`, 'utf8')
    const megabytesOf = (line: RegExp) => Number(line.exec(text)?.[1]) / 1_024
    return {
      name: /^Name:\s+(.*)$/m.exec(text)?.[1] ?? '',
      megabytes: megabytesOf(/^VmRSS:\s+(\d+)/m),
      peakMegabytes: megabytesOf(/^VmHWM:\s+(\d+)/m),
    }
  } catch {
    // No /proc, or the process is gone: the table shows a gap.
    return { name: '', megabytes: Number.NaN, peakMegabytes: Number.NaN }
  }
}
