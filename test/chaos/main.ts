// `npm run chaos`: 20 000 changes to a webhook, then 100 000 changes to 50 sockets, while every part of their way is
// killed again and again. Prints progress and a summary; ends with 1 when anything was lost, invented, reordered or
// misnamed. CHAOS_CHANGES and CHAOS_RATE change 20 000 and 400; CHAOS_REALTIME_CHANGES and CHAOS_REALTIME_RATE change
// 100 000 and 120, what sockets are told on a small machine. CHAOS_ONLY is `webhooks` or `realtime`. Figures of a whole
// run of the second are in docs/design/realtime.md.

import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runRealtimeChaos } from './realtime-run.ts'
import { runChaos } from './run.ts'
import type { Verdict } from './verdict.ts'

const SHOWN_MAX = 10

const folder = mkdtempSync(join(tmpdir(), 'quoin-chaos-'))
// As root, Postgres runs as another user, who must be able to pass through.
chmodSync(folder, 0o755)
const startedAt = performance.now()
const say = (line: string) =>
  console.log(`${((performance.now() - startedAt) / 1000).toFixed(1).padStart(6)} s  ${line}`)
const number = (name: string, byDefault: number) => Number(process.env[name] ?? byDefault)
const only = process.env['CHAOS_ONLY']

const runs = { webhooks: runWebhooks, realtime: runRealtime }
let isBad = false
for (const [name, run] of Object.entries(runs)) {
  if (only !== undefined && only !== name) continue
  say(`--- ${name}`)
  const { verdict, ...figures } = await run()
  console.log(figures)
  if ('left' in figures && figures.left > 0) isBad = true
  if (show(verdict)) isBad = true
}
if (isBad) {
  console.log(`logs and data are kept in ${folder}`)
  process.exitCode = 1
} else rmSync(folder, { recursive: true, force: true })

function runWebhooks() {
  return runChaos(
    {
      dataDir: join(folder, 'webhooks'),
      changes: number('CHAOS_CHANGES', 20_000),
      changesPerSecond: number('CHAOS_RATE', 400),
      rounds: undefined,
      changesBetween: 1_200,
      isNudged: false,
      drainDeadlineMs: 300_000,
    },
    say,
  )
}

function runRealtime() {
  return runRealtimeChaos(
    {
      dataDir: join(folder, 'realtime'),
      changes: number('CHAOS_REALTIME_CHANGES', 100_000),
      changesPerSecond: number('CHAOS_REALTIME_RATE', 120),
      followers: 50,
      rounds: undefined,
      changesBetween: 3_000,
      stayMs: 20_000,
      drainDeadlineMs: 300_000,
    },
    say,
  )
}

/** Whether anything is wrong. */
function show(verdict: Verdict): boolean {
  for (const [what, found] of Object.entries(verdict)) {
    console.log(`${what}: ${found.length}`)
    for (const one of found.slice(0, SHOWN_MAX)) console.log(`  ${one}`)
  }
  return Object.values(verdict).some(found => found.length > 0)
}
