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
  LogState,
  NewChanges,
} from '../../src/features/realtime/log/log-contract.ts'
import { sharedDeadline } from '../../src/lib/deadline.ts'
import { LogStorage } from './log-storage.ts'

const PUSH_TIMEOUT_MS = 10_000
/** Behind these a hub is forgotten: it says every half minute what it follows, and reads what it was not told. */
const RETRY_MS = [100, 1_000, 5_000]
const RATE_SECONDS = 60

/** A hub that is told. What it waits for is in the log, and not held here. */
interface FollowingHub {
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
  readonly #hubs = new Map<string, FollowingHub>()
  /** Changes by the second in which they were stored. */
  readonly #rates = new Map<number, number>()

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#storage = new LogStorage(ctx.storage)
    for (const { name, tableIds } of this.#storage.hubs()) this.#hubs.set(name, newHub(tableIds, null))
  }

  async store(share: NewChanges): Promise<void> {
    const nowMs = Date.now()
    const stored = this.#storage.store(share, nowMs)
    const upTo = stored.at(-1)?.number
    if (upTo === undefined) return
    this.#count(Math.floor(nowMs / 1_000), stored.filter(({ kind }) => kind === 'change').length)
    for (const [name, hub] of this.#hubs) {
      const entries = stored.filter(one => one.kind === 'gap' || hub.tableIds.has(one.table_id))
      if (entries.length === 0) continue
      if (hub.isUnderWay) hub.isBehind = true
      else this.ctx.waitUntil(this.#tell(name, hub, { after: hub.after, entries, upTo, hasMore: false }))
    }
  }

  async follow(name: string, tableIds: readonly number[]): Promise<number> {
    this.#storage.follow(name, tableIds)
    const { head } = this.#storage
    const hub = this.#hubs.get(name) ?? newHub(tableIds, head)
    hub.tableIds = new Set(tableIds)
    hub.failures = 0
    // The hub compares it with where it is, and reads what is between.
    if (!hub.isUnderWay) hub.after ??= head
    if (tableIds.length > 0) this.#hubs.set(name, hub)
    else this.#hubs.delete(name)
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
  async #tell(name: string, hub: FollowingHub, first: LogPush): Promise<void> {
    hub.isUnderWay = true
    try {
      for (let push: LogPush | undefined = first; push !== undefined; push = this.#next(name, hub)) {
        try {
          await this.#deadline(PUSH_TIMEOUT_MS, this.env.REALTIME_HUB.getByName(name).changed(push))
          hub.after = push.upTo
          hub.failures = 0
        } catch (err) {
          logFailure(name, err)
          hub.after = null
          hub.isBehind = true
          const pauseMs = RETRY_MS[hub.failures++]
          if (pauseMs === undefined) return this.#forget(name, hub)
          await new Promise(resolve => setTimeout(resolve, pauseMs))
        }
      }
    } finally {
      hub.isUnderWay = false
    }
  }

  /** What was stored during the last push; where that is more than a page, the hub reads it by itself. */
  #next(name: string, hub: FollowingHub): LogPush | undefined {
    const { after, isBehind, tableIds } = hub
    if (!isBehind || this.#hubs.get(name) !== hub) return undefined
    hub.isBehind = false
    const page = after === null ? 'too_old' : this.#storage.read(after, [...tableIds])
    if (typeof page !== 'string' && !page.hasMore) return { ...page, after }
    return { after, entries: [], upTo: this.#storage.head, hasMore: true }
  }

  #forget(name: string, hub: FollowingHub): void {
    if (this.#hubs.get(name) !== hub) return
    this.#hubs.delete(name)
    this.#storage.forget(name)
  }

  #count(second: number, changes: number): void {
    this.#rates.set(second, (this.#rates.get(second) ?? 0) + changes)
    for (const one of this.#rates.keys()) if (one < second - RATE_SECONDS) this.#rates.delete(one)
  }
}

function newHub(tableIds: readonly number[], after: number | null): FollowingHub {
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
