// Requests as they ended, and what an isolate adds up of them before it tells. Pure: no clock, no I/O.

/** One request, without anything that a caller sent: neither query string, headers nor body. */
export interface FinishedRequest {
  atMs: number
  requestId: string
  /** Method and pattern, as `GET /v1/keys/:id`; `unmatched` where no route took the request. */
  route: string
  status: number
  durationMs: number
  /** Of the API key that was let in. */
  keyId: string | null
  /** Nobody was let in: neither a key nor a session, or the route asks for none. */
  isStranger: boolean
}

/** Requests of one minute, route and status. */
export interface RequestCount {
  /** Since 1970. */
  minute: number
  route: string
  status: number
  requests: number
  /** The sum of all durations. */
  milliseconds: number
  /** How many took so long; as `DURATION_BOUNDS_MS`, and one more for those beyond. */
  buckets: number[]
}

export interface RequestBatch {
  counts: RequestCount[]
  /** Some of the requests, each by itself. */
  samples: FinishedRequest[]
}

/** Upper bounds, inclusive: Prometheus' own defaults. Changing them makes what is stored unreadable. */
export const DURATION_BOUNDS_MS = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000] as const

/** Of one batch: of more requests each has the same chance to be among them. Strangers have places of their own. */
export const SAMPLES_MAX = { known: 500, stranger: 50 } as const

/** Adds requests up until they are taken. */
export class RequestTally {
  readonly #random: () => number
  #counts = new Map<string, RequestCount>()
  #known = new Reservoir(SAMPLES_MAX.known)
  #strangers = new Reservoir(SAMPLES_MAX.stranger)

  /** `random` answers from 0 to below 1. */
  constructor(random: () => number) {
    this.#random = random
  }

  add(request: FinishedRequest): void {
    const { atMs, route, status, durationMs } = request
    const minute = Math.floor(atMs / 60_000)
    const name = `${minute} ${status} ${route}`
    let count = this.#counts.get(name)
    if (count === undefined) {
      const buckets = new Array<number>(DURATION_BOUNDS_MS.length + 1).fill(0)
      count = { minute, route, status, requests: 0, milliseconds: 0, buckets }
      this.#counts.set(name, count)
    }
    count.requests += 1
    count.milliseconds += durationMs
    const bucket = bucketOf(durationMs)
    count.buckets[bucket] = (count.buckets[bucket] ?? 0) + 1
    const samples = request.isStranger ? this.#strangers : this.#known
    samples.add(request, this.#random())
  }

  /** What was added since the last time. */
  take(): RequestBatch {
    const counts = [...this.#counts.values()]
    const samples = [...this.#known.requests, ...this.#strangers.requests]
    this.#counts = new Map()
    this.#known = new Reservoir(SAMPLES_MAX.known)
    this.#strangers = new Reservoir(SAMPLES_MAX.stranger)
    return { counts, samples }
  }
}

/** So many of the requests that it is given, each with the same chance. */
class Reservoir {
  readonly requests: FinishedRequest[] = []
  readonly #size: number
  #seen = 0

  constructor(size: number) {
    this.#size = size
  }

  /** `chance` is from 0 to below 1. */
  add(request: FinishedRequest, chance: number): void {
    this.#seen += 1
    const place = this.#seen <= this.#size ? this.#seen - 1 : Math.floor(chance * this.#seen)
    if (place < this.#size) this.requests[place] = request
  }
}

function bucketOf(durationMs: number): number {
  const bucket = DURATION_BOUNDS_MS.findIndex(bound => durationMs <= bound)
  return bucket === -1 ? DURATION_BOUNDS_MS.length : bucket
}

/**
 * The duration that `share` (0 to 1) of the requests did not exceed, in milliseconds, as Prometheus' histogram_quantile
 * estimates it: evenly within a bucket. Of those beyond the last bound it is that bound. null: no requests.
 */
export function quantileMs(buckets: readonly number[], share: number): number | null {
  const total = buckets.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  let left = share * total
  for (const [i, bound] of DURATION_BOUNDS_MS.entries()) {
    const count = buckets[i] ?? 0
    if (left <= count && count > 0) {
      const lower = DURATION_BOUNDS_MS[i - 1] ?? 0
      return Math.round((lower + (bound - lower) * (left / count)) * 10) / 10
    }
    left -= count
  }
  return DURATION_BOUNDS_MS.at(-1) ?? null
}
