// The one log of changes that sockets follow, named `all`: numbers them in the order of arrival, keeps the last of
// them, and tells the hubs. docs/design/realtime.md tells its part of a change's way.
//
// What this must keep true: what was stored is told, or read by whoever was not told. Telling never delays storing.

import { DurableObject } from 'cloudflare:workers'
import type { Env } from '../../src/deps.ts'
import type {
  RealtimeLog as Log,
  LogEntry,
  LogPush,
  LogReading,
  LogShare,
  LogState,
} from '../../src/features/realtime/log/log-contract.ts'
import { sharedDeadline } from '../../src/lib/deadline.ts'
import { LogStorage } from './log-storage.ts'

const PUSH_TIMEOUT_MS = 10_000
/** A push holds no more: the hub reads the rest by itself. */
const PUSH_ENTRIES_MAX = 2_000
const RETRY_MS = [100, 1_000, 5_000]
/** A hub that was not reached asks by itself every half minute, if it is there. */
const RATE_SECONDS = 60

/** What is on its way to one hub. */
interface Telling {
  /** Everything up to here the hub was told; null: nobody knows. */
  after: number | null
  /** Stored meanwhile; null: more than a push holds. */
  waiting: LogEntry[] | null
  isUnderWay: boolean
}

export class RealtimeLog extends DurableObject<Env> implements Log {
  readonly #storage: LogStorage
  readonly #deadline = sharedDeadline()
  readonly #tellings = new Map<string, Telling>()
  /** Changes by the second in which they were stored. */
  readonly #rates = new Map<number, number>()

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#storage = new LogStorage(ctx.storage)
  }

  async store(share: LogShare): Promise<void> {
    const nowMs = Date.now()
    const stored = this.#storage.store(share, nowMs)
    if (stored.length === 0) return
    this.#count(Math.floor(nowMs / 1_000), stored.length)
    for (const { name, tableIds } of this.#storage.hubs()) {
      const entries = stored.filter(one => one.kind === 'gap' || tableIds.includes(one.table_id))
      if (entries.length > 0) this.#tell(name, entries)
    }
  }

  async follow(hub: string, tableIds: readonly number[]): Promise<number> {
    this.#storage.follow(hub, tableIds)
    if (tableIds.length === 0) this.#tellings.delete(hub)
    return this.#storage.head
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

  #tell(hub: string, entries: readonly LogEntry[]): void {
    const telling = this.#tellings.get(hub) ?? { after: null, waiting: [], isUnderWay: false }
    this.#tellings.set(hub, telling)
    const waiting = telling.waiting === null ? null : [...telling.waiting, ...entries]
    telling.waiting = waiting === null || waiting.length > PUSH_ENTRIES_MAX ? null : waiting
    if (!telling.isUnderWay) this.ctx.waitUntil(this.#push(hub, telling))
  }

  /** One push at a time, until nothing waits. */
  async #push(hub: string, telling: Telling): Promise<void> {
    telling.isUnderWay = true
    try {
      for (let attempt = 0; telling.waiting === null || telling.waiting.length > 0; ) {
        const push = this.#take(telling)
        try {
          await this.#deadline(PUSH_TIMEOUT_MS, this.env.REALTIME_HUB.getByName(hub).changed(push))
          telling.after = push.upTo
          attempt = 0
        } catch (err) {
          logFailure(hub, err)
          telling.after = null
          telling.waiting = null
          const pauseMs = RETRY_MS[attempt++]
          if (pauseMs === undefined) return this.#giveUp(hub)
          await new Promise(resolve => setTimeout(resolve, pauseMs))
        }
      }
    } finally {
      telling.isUnderWay = false
    }
  }

  #take(telling: Telling): LogPush {
    const { after, waiting } = telling
    telling.waiting = []
    return { after, entries: waiting ?? [], upTo: this.#storage.head, hasMore: waiting === null }
  }

  /** The hub follows again when it lives, and reads what it has missed. */
  #giveUp(hub: string): void {
    this.#tellings.delete(hub)
    this.#storage.forget(hub)
  }

  #count(second: number, changes: number): void {
    this.#rates.set(second, (this.#rates.get(second) ?? 0) + changes)
    for (const one of this.#rates.keys()) if (one < second - RATE_SECONDS) this.#rates.delete(one)
  }
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
