// The exact sliding window of one API key: no span of 60 seconds ever admits more than the limit.
// Pure: no clock (`nowMs` is passed in) and no storage (what must survive goes to a journal that is passed in).
//
// Why it is exact. Requests are counted in buckets of the clock. A clock of whole milliseconds that reads t means any
// moment from t up to t + 1. So a request of a bucket that ends at e happened before e. And what is admitted at a
// reading of e + 60 000 or later comes more than 60 000 ms after that request. Only then does a bucket stop counting.

import type { RateLimitState } from './admission.ts'

/** Requests that were admitted before `endMs` (and not before the bucket that ended earlier). */
export interface Bucket {
  endMs: number
  count: number
}

/** Where counts go that must survive an eviction. Called before the request is admitted, at least once per bucket. */
export interface WindowJournal {
  /** Replaces what is stored for the bucket that ends at `endMs`. */
  write(endMs: number, count: number): void
}

export const WINDOW_MS = 60_000

/** Up to this limit a bucket is one millisecond and each request is journaled by itself. */
const SMALL_LIMIT_MAX = 1_000
/** Above it, so that memory stays near 600 buckets however high the limit: requests free at most 100 ms late. */
const WIDE_BUCKET_MS = 100
/** From this limit on requests are counted by lots: below it each one by itself, exactly, and they are not many. */
export const LOT_LIMIT_MIN = 6_000
/** Largest number of requests that one journal write stands for; an eviction loses at most so many. */
const LOT_MAX = 1_000
/** A bucket is journaled ahead by at most this part of what is in it: one that is hardly used is journaled truly. */
const AHEAD_SHARE = 1 / 8

interface LiveBucket extends Bucket {
  /** What the journal holds for it; never below `count`. */
  journaled: number
}

/** Admits at most `limit` requests in any 60 seconds. One owner, no concurrency inside: each call is synchronous. */
export class SlidingWindow {
  readonly #journal: WindowJournal
  #limit = 0
  #widthMs = 1
  #lotSize = 1
  /** Live buckets from `#head` on, by ascending end; those before it have expired. */
  #buckets: LiveBucket[] = []
  #head = 0
  /** Sum of the live buckets' counts. */
  #used = 0
  /** The latest time seen: a clock that is set back must not make requests count shorter. */
  #latestMs = 0
  #newestEndMs = 0

  /**
   * `stored` is what the journal holds; after an eviction it is taken as used, so the limit holds and at most a lot
   * is lost. Nothing is counted before `notBeforeMs`: a clock may have been set back meanwhile.
   */
  constructor(limit: number, journal: WindowJournal, stored: readonly Bucket[] = [], notBeforeMs = 0) {
    this.#journal = journal
    this.#latestMs = notBeforeMs
    this.setLimit(limit)
    for (const { endMs, count } of [...stored].sort(byEnd)) this.#append(endMs, count, count)
  }

  /** Changes the limit; what was admitted before keeps counting. */
  setLimit(limit: number): void {
    this.#limit = limit
    this.#widthMs = limit <= SMALL_LIMIT_MAX ? 1 : WIDE_BUCKET_MS
    this.#lotSize = limit < LOT_LIMIT_MIN ? 1 : Math.min(LOT_MAX, Math.ceil(limit / 1_000))
  }

  /** Counts one request and answers true, or answers false and counts nothing. Amortised constant time. */
  tryAdmit(nowMs: number): boolean {
    this.#advance(nowMs)
    if (this.#used >= this.#limit) return false
    const bucket = this.#openBucket()
    bucket.count += 1
    this.#used += 1
    if (bucket.count > bucket.journaled) this.#journalAhead(bucket)
    return true
  }

  /**
   * Counts as many of `count` requests as the limit leaves, all of them until 60 s after `lifetimeMs` from now: they
   * may happen at any moment until then. Answers how many, and the end of the bucket that counts them, for
   * `giveBack`.
   */
  admitAhead(nowMs: number, count: number, lifetimeMs: number): Bucket {
    this.#advance(nowMs)
    const bucket = this.#openBucket(lifetimeMs)
    const admitted = Math.max(0, Math.min(count, this.#limit - this.#used))
    bucket.count += admitted
    this.#used += admitted
    if (bucket.count > bucket.journaled) this.#journalAhead(bucket)
    return { endMs: bucket.endMs, count: admitted }
  }

  /** Takes back requests that were counted ahead and did not happen. */
  giveBack({ endMs, count }: Bucket, nowMs: number): void {
    this.#advance(nowMs)
    const bucket = this.#buckets.findLast((each, index) => each.endMs === endMs && index >= this.#head)
    if (bucket === undefined) return
    const returned = Math.min(count, bucket.count)
    bucket.count -= returned
    this.#used -= returned
    if (bucket !== this.#buckets.at(-1)) this.#journalTruly(bucket)
  }

  /** Whether the journal holds more than was admitted. */
  isAhead(): boolean {
    const newest = this.#buckets.at(-1)
    return newest !== undefined && newest.journaled > newest.count
  }

  /** Has the journal hold what was admitted, and no more, in every bucket that has ended. */
  settle(nowMs: number): void {
    this.#advance(nowMs)
    const newest = this.#buckets.at(-1)
    if (newest !== undefined && newest.endMs <= this.#latestMs) this.#journalTruly(newest)
  }

  /** The window as the response headers show it. */
  state(nowMs: number): RateLimitState {
    this.#advance(nowMs)
    const remaining = Math.max(0, this.#limit - this.#used)
    const freeAtMs = remaining > 0 ? this.#emptyAtMs() : this.#oneMoreAtMs()
    // At most 60: the last bucket's own width is not worth telling callers a 61st second.
    const resetSeconds = Math.min(60, Math.ceil((freeAtMs - this.#latestMs) / 1_000))
    return { limit: this.#limit, remaining, resetSeconds }
  }

  /** The buckets that still count, oldest first: real counts, without what was journaled ahead. */
  liveBuckets(nowMs: number): Bucket[] {
    this.#advance(nowMs)
    return this.#buckets.slice(this.#head).map(({ endMs, count }) => ({ endMs, count }))
  }

  /** Counts another window's requests as this one's: what a rotated key has used, its successor has used. */
  adopt(buckets: readonly Bucket[], nowMs: number): void {
    this.#advance(nowMs)
    const counts = new Map<number, number>()
    for (const { endMs, count } of [...this.liveBuckets(nowMs), ...buckets]) {
      counts.set(endMs, (counts.get(endMs) ?? 0) + count)
    }
    this.#buckets = []
    this.#head = 0
    this.#used = 0
    for (const [endMs, count] of [...counts].sort(([a], [b]) => a - b)) {
      this.#append(endMs, count, count)
      this.#journal.write(endMs, count)
    }
    this.#advance(nowMs)
  }

  /** When the newest request that is still known was admitted, to the bucket; undefined when none is known. */
  lastAdmittedMs(): number | undefined {
    return this.#newestEndMs === 0 ? undefined : this.#newestEndMs - 1
  }

  #append(endMs: number, count: number, journaled: number): LiveBucket {
    const bucket = { endMs, count, journaled }
    this.#buckets.push(bucket)
    this.#used += count
    this.#newestEndMs = endMs
    return bucket
  }

  #advance(nowMs: number): void {
    if (nowMs > this.#latestMs) this.#latestMs = nowMs
    let oldest = this.#buckets[this.#head]
    while (oldest !== undefined && oldest.endMs + WINDOW_MS <= this.#latestMs) {
      this.#used -= oldest.count
      this.#head += 1
      oldest = this.#buckets[this.#head]
    }
    // Expired buckets go in one cut once they are the larger half: constant time per request on average.
    if (this.#head > 64 && this.#head * 2 > this.#buckets.length) {
      this.#buckets = this.#buckets.slice(this.#head)
      this.#head = 0
    }
  }

  #openBucket(lifetimeMs = 0): LiveBucket {
    const newest = this.#head < this.#buckets.length ? this.#buckets.at(-1) : undefined
    const endMs = (Math.floor((this.#latestMs + lifetimeMs) / this.#widthMs) + 1) * this.#widthMs
    // A newest bucket that ends later (it was opened ahead, the limit was lowered, or the clock set back over an
    // eviction) takes the request: it then counts longer, never shorter.
    if (newest !== undefined && newest.endMs >= endMs) return newest
    // The bucket is closed: what it was journaled ahead would else be lost at an eviction, bucket after bucket.
    if (newest !== undefined) this.#journalTruly(newest)
    return this.#append(endMs, 0, 0)
  }

  #journalAhead(bucket: LiveBucket): void {
    bucket.journaled = bucket.count + Math.min(this.#lotSize - 1, Math.floor(bucket.count * AHEAD_SHARE))
    this.#journal.write(bucket.endMs, bucket.journaled)
  }

  #journalTruly(bucket: LiveBucket): void {
    if (bucket.journaled === bucket.count) return
    bucket.journaled = bucket.count
    this.#journal.write(bucket.endMs, bucket.count)
  }

  #emptyAtMs(): number {
    const newest = this.#head < this.#buckets.length ? this.#buckets.at(-1) : undefined
    return newest === undefined ? this.#latestMs : newest.endMs + WINDOW_MS
  }

  #oneMoreAtMs(): number {
    // Usually the first bucket; more only after the limit was lowered.
    let used = this.#used
    for (let i = this.#head; i < this.#buckets.length; i++) {
      const bucket = this.#buckets[i]
      if (bucket === undefined) break
      used -= bucket.count
      if (used < this.#limit) return bucket.endMs + WINDOW_MS
    }
    return this.#latestMs + WINDOW_MS
  }
}

function byEnd(a: Bucket, b: Bucket): number {
  return a.endMs - b.endMs
}
