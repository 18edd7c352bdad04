// The one log of changes that sockets follow, named `all`: numbers them in the order of arrival, keeps the last of
// them, and tells the hubs. docs/design/realtime.md tells its part of a change's way.
//
// What this must keep true: what was stored is told, or read by whoever was not told. Telling never delays storing.

import { DurableObject } from 'cloudflare:workers'
import type { Env } from '../../src/deps.ts'
import type {
  RealtimeLog as Log,
  LogPush,
  LogReading,
  LogShare,
  LogState,
} from '../../src/features/realtime/log/log-contract.ts'
import { sharedDeadline } from '../../src/lib/deadline.ts'
import { LogStorage } from './log-storage.ts'

const PUSH_TIMEOUT_MS = 10_000
/** Behind these a hub is forgotten: it says every half minute what it follows, and reads what it was not told. */
const RETRY_MS = [100, 1_000, 5_000]
const RATE_SECONDS = 60

/** A hub that is told. What it waits for is in the log, and not held here. */
interface Follower {
  tableIds: ReadonlySet<number>
  /** Everything up to here was told; null: nobody knows. */
  after: number | null
  isUnderWay: boolean
  /** More was stored than the push under way has. */
  isBehind: boolean
  /** Since it last answered, or said what it follows. */
  failures: number
}

export class RealtimeLog extends DurableObject<Env> implements Log {
  readonly #storage: LogStorage
  readonly #deadline = sharedDeadline()
  readonly #followers = new Map<string, Follower>()
  /** Changes by the second in which they were stored. */
  readonly #rates = new Map<number, number>()

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#storage = new LogStorage(ctx.storage)
    for (const { name, tableIds } of this.#storage.hubs())
      this.#followers.set(name, newFollower(tableIds, null))
  }

  async store(share: LogShare): Promise<void> {
    const nowMs = Date.now()
    const stored = this.#storage.store(share, nowMs)
    const upTo = stored.at(-1)?.number
    if (upTo === undefined) return
    this.#count(Math.floor(nowMs / 1_000), stored.filter(({ kind }) => kind === 'change').length)
    for (const [name, follower] of this.#followers) {
      const entries = stored.filter(one => one.kind === 'gap' || follower.tableIds.has(one.table_id))
      if (entries.length === 0) continue
      if (follower.isUnderWay) follower.isBehind = true
      else
        this.ctx.waitUntil(
          this.#tell(name, follower, { after: follower.after, entries, upTo, hasMore: false }),
        )
    }
  }

  async follow(hub: string, tableIds: readonly number[]): Promise<number> {
    this.#storage.follow(hub, tableIds)
    const { head } = this.#storage
    const follower = this.#followers.get(hub) ?? newFollower(tableIds, head)
    follower.tableIds = new Set(tableIds)
    follower.failures = 0
    // The hub compares it with where it is, and reads what is between.
    if (!follower.isUnderWay) follower.after ??= head
    if (tableIds.length > 0) this.#followers.set(hub, follower)
    else this.#followers.delete(hub)
    return head
  }

  async read(after: number, tableIds: readonly number[]): Promise<LogReading> {
    return this.#storage.read(after, tableIds)
  }

  async state(): Promise<LogState> {
    const second = Math.floor(Date.now() / 1_000)
    const seconds = Array.from({ length: RATE_SECONDS }, (_, i) => second - RATE_SECONDS + i)
    return {
      ...this.#storage.state(),
      changesPerSecond: seconds.map(one => this.#rates.get(one) ?? 0),
    }
  }

  /** One push at a time, until nothing waits. */
  async #tell(hub: string, follower: Follower, first: LogPush): Promise<void> {
    follower.isUnderWay = true
    try {
      for (let push: LogPush | undefined = first; push !== undefined; push = this.#next(hub, follower)) {
        try {
          await this.#deadline(PUSH_TIMEOUT_MS, this.env.REALTIME_HUB.getByName(hub).changed(push))
          follower.after = push.upTo
          follower.failures = 0
        } catch (err) {
          logFailure(hub, err)
          follower.after = null
          follower.isBehind = true
          const pauseMs = RETRY_MS[follower.failures++]
          if (pauseMs === undefined) return this.#forget(hub, follower)
          await new Promise(resolve => setTimeout(resolve, pauseMs))
        }
      }
    } finally {
      follower.isUnderWay = false
    }
  }

  /** What was stored during the last push; where that is more than a page, the hub reads it by itself. */
  #next(hub: string, follower: Follower): LogPush | undefined {
    const { after, isBehind, tableIds } = follower
    if (!isBehind || this.#followers.get(hub) !== follower) return undefined
    follower.isBehind = false
    const page = after === null ? 'too_old' : this.#storage.read(after, [...tableIds])
    if (page !== 'too_old' && !page.hasMore) return { ...page, after }
    return { after, entries: [], upTo: this.#storage.head, hasMore: true }
  }

  #forget(hub: string, follower: Follower): void {
    if (this.#followers.get(hub) !== follower) return
    this.#followers.delete(hub)
    this.#storage.forget(hub)
  }

  #count(second: number, changes: number): void {
    this.#rates.set(second, (this.#rates.get(second) ?? 0) + changes)
    for (const one of this.#rates.keys()) if (one < second - RATE_SECONDS) this.#rates.delete(one)
  }
}

function newFollower(tableIds: readonly number[], after: number | null): Follower {
  return { tableIds: new Set(tableIds), after, isUnderWay: false, isBehind: false, failures: 0 }
}

function logFailure(hub: string, err: unknown): void {
  console.warn(
    JSON.stringify({
      level: 'warn',
      component: 'realtime',
      message: 'a hub was not told',
      hub,
      cause: String(err),
    }),
  )
}
