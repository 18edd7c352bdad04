// Ctrl-C, a polite kill and a closed terminal all end the stack in order; asking again kills it at once.

import type { Output } from '../cli/support/output.ts'

/** The reason of a stop that the user asked for: no failure. */
export class EndRequest extends Error {
  override name = 'EndRequest'
}

/** One Ctrl-C may arrive several times, from the terminal and from each npm between it and us. */
const SAME_REQUEST_MS = 700

const END_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Aborts `stop` with an `EndRequest` at the first signal, and calls `killHard` at the next one. */
export function listenForEnd(stop: AbortController, output: Output, killHard: () => void): void {
  let requestedAt: number | undefined
  const onSignal = (signal: NodeJS.Signals) => {
    if (requestedAt === undefined) {
      requestedAt = performance.now()
      output.say(`\n${signal}: ending everything (again: at once)`)
      stop.abort(new EndRequest(signal))
    } else if (performance.now() - requestedAt > SAME_REQUEST_MS) {
      killHard()
      process.exit(1)
    }
  }
  for (const signal of END_SIGNALS) process.on(signal, onSignal)
}
