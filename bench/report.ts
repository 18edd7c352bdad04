// The table at the end of a run: medians, and what each is of its yardstick in the same run.

import { cpus } from 'node:os'
import type { LoadOptions, Measured } from './load.ts'

/** Prints Markdown, ready for bench/README.md. */
export function printReport(results: Measured[], { connections, seconds, rounds }: LoadOptions): void {
  const [cpu] = cpus()
  console.log(`\n${cpus().length} x ${cpu?.model.trim()}, Node ${process.versions.node}`)
  console.log(
    `${connections} connections, ${rounds} rounds of ${seconds} s each, in turns; medians of requests a second\n`,
  )
  console.log('| what | who | requests/s | min to max | of PostgREST |\n|---|---|---|---|---|')
  for (const { target, requestsPerSecond } of results) {
    const yardstick = results.find(
      other => other.target.what === target.what && other.target.name === 'postgrest',
    )
    const ratio = yardstick ? ratioByRound(requestsPerSecond, yardstick.requestsPerSecond).toFixed(2) : ''
    const range = `${Math.round(Math.min(...requestsPerSecond))} to ${Math.round(Math.max(...requestsPerSecond))}`
    console.log(
      `| ${target.what} | ${target.name} | ${Math.round(median(requestsPerSecond))} | ${range} | ${ratio} |`,
    )
  }
}

/** The median of the ratios round by round: what drifts meets both sides of one round alike. */
function ratioByRound(figures: number[], yardsticks: number[]): number {
  return median(figures.map((figure, round) => figure / (yardsticks[round] ?? Number.NaN)))
}

function median(figures: number[]): number {
  const sorted = figures.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const [low = Number.NaN, high = Number.NaN] =
    sorted.length % 2 ? [sorted[middle], sorted[middle]] : sorted.slice(middle - 1, middle + 1)
  return (low + high) / 2
}
