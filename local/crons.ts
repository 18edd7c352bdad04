// The Worker's crons on the local stack: the platform fires them, `wrangler dev` only has an address to fire them at.
// It is there whether we use it or not, for this machine alone: wrangler refuses every other Host and Origin.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { StackError } from '../cli/support/output.ts'
import { PROJECT_DIR } from '../cli/support/project.ts'

const MINUTE_MS = 60_000
/** Longer than a handler takes: one that is cut off would be cut off each time. */
const HANDLER_TIMEOUT_MS = 10 * MINUTE_MS

export interface Cron {
  readonly text: string
  /** UTC; undefined: every minute. */
  readonly minute: number | undefined
}

/** The crons in the text of wrangler.toml. Throws a `StackError` for one that names more than a minute of the hour. */
export function readCrons(text = readFileSync(join(PROJECT_DIR, 'wrangler.toml'), 'utf8')): Cron[] {
  const list = /^crons = (\[.*\])$/m.exec(text)?.[1]
  if (list === undefined) throw new StackError('wrangler.toml has no line `crons = [...]`')
  return (JSON.parse(list) as string[]).map(cron => {
    const [, minute] = /^(\*|\d+) \* \* \* \*$/.exec(cron) ?? []
    if (minute === undefined)
      throw new StackError(`local/crons.ts cannot read the cron "${cron}" of wrangler.toml`)
    return { text: cron, minute: minute === '*' ? undefined : Number(minute) }
  })
}

export function dueCrons(crons: readonly Cron[], time: Date): string[] {
  return crons
    .filter(({ minute }) => minute === undefined || minute === time.getUTCMinutes())
    .map(({ text }) => text)
}

export function cronUrl(baseUrl: string, cron: string): string {
  return `${baseUrl}/cdn-cgi/local/scheduled?${new URLSearchParams({ cron })}`
}

/** Has the Worker handle a cron, to the end; answers `ok`, or how else it ended. */
export async function fireCron(baseUrl: string, cron: string): Promise<string> {
  const signal = AbortSignal.timeout(HANDLER_TIMEOUT_MS)
  return await (await fetch(cronUrl(baseUrl, cron), { signal })).text()
}

/** Fires each cron when it is due, as the platform does, until the stack ends. */
export async function fireCrons(
  baseUrl: string,
  crons: readonly Cron[],
  stopped: AbortSignal,
): Promise<void> {
  let minute = minuteNow() + 1
  while (!stopped.aborted) {
    const untilThen = Math.max(0, minute * MINUTE_MS - Date.now())
    // It only rejects when the stack ends, which the next line sees.
    await delay(untilThen, undefined, { signal: stopped, ref: false }).catch(() => {})
    if (stopped.aborted) return
    for (const cron of dueCrons(crons, new Date(minute * MINUTE_MS))) {
      // What goes wrong inside is in the Worker's log; a Worker that reloads just now hears of the next minute.
      fireCron(baseUrl, cron).catch(() => {})
    }
    minute = Math.max(minute, minuteNow()) + 1
  }
}

const minuteNow = () => Math.floor(Date.now() / MINUTE_MS)
