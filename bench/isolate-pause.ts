// What one request does to the isolate that serves it: how long it answers nobody else, and how much memory it takes.

import { readFileSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'

export interface PausingCall {
  url: string
  method: string
  headers: Record<string, string>
  body: Buffer
}

export interface Pause {
  status: number
  /** The longest that an answer of /healthz took meanwhile. */
  pauseMs: number
  /** How much more resident memory the process had at its height than before; NaN where the system does not tell. */
  growthBytes: number
}

const PROBE_EVERY_MS = 2

/** Sends one request while another client asks `/healthz` every few milliseconds. */
export async function measurePause(origin: string, pid: number, call: PausingCall): Promise<Pause> {
  const agent = new Agent({ keepAlive: true })
  let isOver = false
  let pauseMs = 0
  const probing = (async () => {
    while (!isOver) {
      const startedAt = performance.now()
      await send({ url: `${origin}/healthz`, method: 'GET', headers: {}, body: Buffer.alloc(0) }, agent)
      pauseMs = Math.max(pauseMs, performance.now() - startedAt)
      await delay(PROBE_EVERY_MS)
    }
  })()
  await delay(20)
  const before = residentBytes(pid, 'VmRSS')
  forgetPeak(pid)
  pauseMs = 0
  const status = await send(call)
  isOver = true
  await probing
  agent.destroy()
  return { status, pauseMs, growthBytes: residentBytes(pid, 'VmHWM') - before }
}

/** Sends one request, reads its answer to the end, and answers the status. */
export function send({ url, method, headers, body }: PausingCall, agent?: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      { method, headers: { ...headers, 'content-length': body.length }, agent },
      answer => {
        answer.resume().on('end', () => resolve(answer.statusCode ?? 0))
      },
    )
    // A body that is refused by its length is not read to its end.
    sent.on('error', reject).end(body)
  })
}

function residentBytes(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  try {
    const kilobytes = new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(
      readFileSync(`/proc/${pid}/status`, 'utf8'),
    )?.[1]
    return Number(kilobytes) * 1_024
  } catch {
    return Number.NaN
  }
}

/** Lets the process' peak begin anew (Linux). */
function forgetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5')
  } catch {
    // The peak is that of the whole run then.
  }
}
