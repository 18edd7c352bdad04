// The table at the end of a run: medians, what each is of its yardstick in the same run, and what a request costs
// where.

import { cpus } from 'node:os'
import type { LoadOptions, Measured } from './load.ts'

/** PostgREST with a token, behind nginx with a key check and a limit. */
export const WITH_NGINX = 'nginx + PostgREST'

const YARDSTICKS = ['PostgREST', WITH_NGINX]

/** Prints Markdown, ready for bench/README.md. */
export function printReport(results: Measured[], options: LoadOptions): void {
  const processes = Object.keys(options.processes)
  const connections = `${options.connections} ${options.connections === 1 ? 'connection' : 'connections'}`
  console.log(`\n${connections}, ${options.rounds} rounds of ${options.seconds} s each, in turns; medians\n`)
  const costs = [...processes, 'all'].map(name => `${name}, µs`)
  const head = [
    'what',
    'who',
    'requests/s',
    'min to max',
    ...YARDSTICKS.map(name => `of ${name}`),
    'p50, ms',
    'p99, ms',
    ...costs,
  ]
  console.log(`| ${head.join(' | ')} |\n|${head.map(() => '---').join('|')}|`)
  for (const result of results) console.log(`| ${cells(result, results, processes).join(' | ')} |`)
}

/** What the figures were taken on. */
export function printMachine(): void {
  const [cpu] = cpus()
  console.log(`\n${cpus().length} x ${cpu?.model.trim()}, Node ${process.versions.node}`)
}

function cells({ target, rounds }: Measured, all: Measured[], processes: string[]): string[] {
  const figures = rounds.map(round => round.requestsPerSecond)
  const yardsticks = YARDSTICKS.map(name =>
    all.find(other => other.target.what === target.what && other.target.name === name),
  )
  const costs = processes.map(name => median(rounds.map(round => round.cpuMicros[name] ?? Number.NaN)))
  const sums = rounds.map(round => Object.values(round.cpuMicros).reduce((sum, cost) => sum + cost, 0))
  return [
    target.what,
    target.name,
    String(Math.round(median(figures))),
    `${Math.round(Math.min(...figures))} to ${Math.round(Math.max(...figures))}`,
    ...yardsticks.map(other => (other ? ratioByRound(figures, other).toFixed(2) : '')),
    median(rounds.map(round => round.p50)).toFixed(2),
    median(rounds.map(round => round.p99)).toFixed(1),
    ...[...costs, median(sums)].map(microseconds),
  ]
}

/** The median of the ratios round by round: what drifts meets both sides of one round alike. */
function ratioByRound(figures: number[], yardstick: Measured): number {
  const ratios = figures.map((figure, i) => figure / (yardstick.rounds[i]?.requestsPerSecond ?? Number.NaN))
  return median(ratios)
}

/** A few microseconds a request are the process doing something else. */
const microseconds = (value: number) => (value >= 5 ? String(Math.round(value)) : '')

/** The middle of these figures, or the mean of the two in the middle; NaN for none. */
export function median(figures: readonly number[]): number {
  const sorted = figures.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const [low = Number.NaN, high = low] =
    sorted.length % 2 === 1 ? [sorted[middle]] : sorted.slice(middle - 1, middle + 1)
  return (low + high) / 2
}
