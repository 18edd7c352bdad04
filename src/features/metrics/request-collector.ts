// The isolate's side of request metrics: adds up in memory, and tells at most once in ten seconds. Nothing of it is on
// a request's way. What an isolate has added up when it ends is lost, at most ten seconds of it.

import { type FinishedRequest, RequestTally } from './request-batch.ts'
import type { RequestMetrics } from './request-metrics.ts'

const TELL_AFTER_MS = 10_000

export interface CollectorDeps {
  requestMetrics: () => Pick<RequestMetrics, 'add'>
  /** Waits so many milliseconds. */
  timeAfter: (milliseconds: number) => Promise<unknown>
}

export class RequestCollector {
  readonly #deps: CollectorDeps
  readonly #tally = new RequestTally(Math.random)
  #isWaiting = false

  constructor(deps: CollectorDeps) {
    this.#deps = deps
  }

  /** Takes a request that was answered. `waitUntil` keeps the isolate at work until it was told of. */
  add(request: FinishedRequest, waitUntil: (work: Promise<unknown>) => void): void {
    this.#tally.add(request)
    if (this.#isWaiting) return
    this.#isWaiting = true
    waitUntil(this.#tellLater())
  }

  async #tellLater(): Promise<void> {
    try {
      await this.#deps.timeAfter(TELL_AFTER_MS)
    } finally {
      this.#isWaiting = false
    }
    const batch = this.#tally.take()
    try {
      await this.#deps.requestMetrics().add(batch)
    } catch (err) {
      // Told twice it could count twice; these are no figures that anybody is billed by.
      const message = `the metrics of ${batch.counts.length} routes were lost: ${err}`
      console.warn(JSON.stringify({ level: 'warn', component: 'metrics', message }))
    }
  }
}
