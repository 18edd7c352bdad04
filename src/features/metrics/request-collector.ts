// The isolate's side of request metrics: adds up in memory, and tells at most once in ten seconds. Nothing of it is on
// a request's way. What an isolate has added up when it ends is lost, at most ten seconds of it.

import { type FinishedRequest, RequestTally } from './request-batch.ts'
import type { RequestMetrics } from './request-metrics.ts'

const TELL_AFTER_MS = 10_000
/** A request that was to tell may be gone with all that waits behind it: then the next one tells. */
const GIVEN_UP_AFTER_MS = 15_000

export interface CollectorDeps {
  requestMetrics: () => Pick<RequestMetrics, 'add'>
  /** Waits so many milliseconds. */
  timeAfter: (milliseconds: number) => Promise<unknown>
}

export class RequestCollector {
  readonly #deps: CollectorDeps
  readonly #tally = new RequestTally(Math.random)
  /** Until then somebody waits to tell. */
  #waitingUntilMs = 0

  constructor(deps: CollectorDeps) {
    this.#deps = deps
  }

  /** Takes a request that was answered. `waitUntil` keeps the isolate at work until it was told of. */
  add(request: FinishedRequest, waitUntil: (work: Promise<unknown>) => void): void {
    this.#tally.add(request)
    // The clock may have been set back by more than anybody waits.
    const leftMs = this.#waitingUntilMs - request.atMs
    if (leftMs > 0 && leftMs <= GIVEN_UP_AFTER_MS) return
    this.#waitingUntilMs = request.atMs + GIVEN_UP_AFTER_MS
    waitUntil(this.#tellLater())
  }

  async #tellLater(): Promise<void> {
    await this.#deps.timeAfter(TELL_AFTER_MS)
    this.#waitingUntilMs = 0
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
