// How many runs of the advisor an isolate has under way: each holds a connection, and may take 15 s.

import { DomainError } from '../../errors.ts'

const RUNS_MAX = 2
/** Of a request that was given up nobody hears an end: its run counts no longer than this. */
const RUN_MS_MAX = 20_000

export class AdvisorRuns {
  readonly #now: () => Date
  /** When each began. */
  readonly #runs = new Map<symbol, number>()

  constructor(now: () => Date) {
    this.#now = now
  }

  /** Runs it, or throws `too_many_calls`. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const nowMs = this.#now().getTime()
    for (const [run, startedAtMs] of this.#runs) if (nowMs - startedAtMs > RUN_MS_MAX) this.#runs.delete(run)
    if (this.#runs.size >= RUNS_MAX)
      throw new DomainError('too_many_calls', 'The advisor is at work for others.', {
        detail: `It looks at the database ${RUNS_MAX} times at once at most.`,
        hint: 'Ask again in a few seconds.',
        retryAfterSeconds: 5,
      })
    const run = Symbol('run')
    this.#runs.set(run, nowMs)
    try {
      return await work()
    } finally {
      this.#runs.delete(run)
    }
  }
}
