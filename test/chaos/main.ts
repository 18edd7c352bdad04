// `npm run chaos`: 20 000 changes while every part of their way is killed again and again. Prints progress and a
// summary; ends with 1 when anything was lost, invented, reordered or misnamed. CHAOS_CHANGES and CHAOS_RATE change
// 20 000 and 400.

import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runChaos } from './run.ts'

const SHOWN_MAX = 10

const folder = mkdtempSync(join(tmpdir(), 'quoin-chaos-'))
// As root, Postgres runs as another user, who must be able to pass through.
chmodSync(folder, 0o755)
const startedAt = performance.now()
const say = (line: string) =>
  console.log(`${((performance.now() - startedAt) / 1000).toFixed(1).padStart(6)} s  ${line}`)

const { verdict, ...figures } = await runChaos(
  {
    dataDir: join(folder, 'parts'),
    changes: Number(process.env['CHAOS_CHANGES'] ?? 20_000),
    changesPerSecond: Number(process.env['CHAOS_RATE'] ?? 400),
    rounds: undefined,
    changesBetween: 1_200,
    isNudged: false,
    drainDeadlineMs: 300_000,
  },
  say,
)
console.log(figures)
let isBad = figures.left > 0
for (const [what, found] of Object.entries(verdict)) {
  console.log(`${what}: ${found.length}`)
  for (const one of found.slice(0, SHOWN_MAX)) console.log(`  ${one}`)
  if (found.length > 0) isBad = true
}
if (isBad) {
  console.log(`logs and data are kept in ${folder}`)
  process.exitCode = 1
} else rmSync(folder, { recursive: true, force: true })
