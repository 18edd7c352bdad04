// What a hub does by the clock while it has sockets: ends what has ended, says again what it follows, forgets what is
// old. Between two rounds it may sleep.

import type { Channel, HubSocket } from '../../src/features/realtime/hub/channel.ts'
import { watchTables } from '../../src/features/realtime/watching/watch-tables.ts'
import type { HubParts } from './hub-parts.ts'
import { logFailure } from './log-failure.ts'
import { CLOSE } from './members.ts'

const ROUND_MS = 30_000
/** A client says something every 25 s; twice without is gone, as for Supabase's server. */
const SILENT_MS = 75_000

export class Upkeep {
  readonly #parts: HubParts
  readonly #storage: DurableObjectStorage

  constructor(parts: HubParts, storage: DurableObjectStorage) {
    this.#parts = parts
    this.#storage = storage
  }

  /** Sets the alarm for the next round, or for the end of a token of these channels, or of all, before it. */
  async plan(channels: Iterable<Channel> = this.#parts.members.channels()): Promise<void> {
    const { members, feed, nowMs } = this.#parts
    // The last round tells the log that nobody follows any more.
    if (members.socketCount === 0 && !feed.isFollowing) return
    let atMs = nowMs() + ROUND_MS
    for (const { record } of channels)
      if (record.tokenEndsAtMs !== null) atMs = Math.min(atMs, Math.max(record.tokenEndsAtMs, nowMs()))
    const setAtMs = await this.#storage.getAlarm()
    if (setAtMs === null || setAtMs > atMs) await this.#storage.setAlarm(atMs)
  }

  async run(): Promise<void> {
    const { storage, nowMs } = this.#parts
    this.#parts.channels.endTokens()
    this.#closeSilent()
    storage.forgetOld(nowMs())
    for (const work of [() => this.recheck(), () => this.#parts.feed.settle(), () => this.#keepWatching()])
      await work().catch(err => logFailure('not kept up', err))
    await this.plan()
  }

  /** Closes the sockets of keys, projects and sessions that have ended; who cannot be asked about stays. */
  async recheck(): Promise<void> {
    const byCaller = Map.groupBy(this.#parts.members.sockets, ({ pass }) => pass.caller)
    await Promise.all(
      [...byCaller.values()].map(sockets =>
        this.#recheck(sockets).catch(err => logFailure('not kept up', err)),
      ),
    )
  }

  /** Of one caller. */
  async #recheck(sockets: readonly HubSocket[]): Promise<void> {
    const { limiters, isSessionActive, nowMs } = this.#parts
    const [{ pass } = { pass: undefined }] = sockets
    if (pass?.keyHash) {
      const answer = await limiters.byHash(pass.keyHash).confirm()
      if (answer === 'refused') this.#close(sockets, 'the API key is not valid any more')
      if (answer === 'project_paused') this.#close(sockets, 'the project is paused')
    } else if (pass?.sessionId) {
      const isOver = pass.endsAtMs !== null && pass.endsAtMs <= nowMs()
      if (isOver || !(await isSessionActive(pass.sessionId))) this.#close(sockets, 'the session has ended')
    }
  }

  #close(sockets: readonly HubSocket[], reason: string): void {
    for (const socket of sockets) {
      this.#parts.members.close(socket, CLOSE.policy, reason)
      this.#parts.channels.leaveAll(socket)
    }
  }

  #closeSilent(): void {
    const { members, nowMs } = this.#parts
    const silent = [...members.sockets].filter(({ heardAtMs }) => nowMs() - heardAtMs > SILENT_MS)
    this.#close(silent, 'nothing was heard for 75 seconds')
  }

  /** A table stays watched as long as anybody here follows it. Who follows one that is gone joins again, by name. */
  async #keepWatching(): Promise<void> {
    const { members, feed, platform } = this.#parts
    const tableIds = new Set<number>()
    for (const { record } of members.channels())
      for (const { tableId } of record.subscriptions) tableIds.add(tableId)
    if (tableIds.size === 0) return
    const rows = await platform.texts(FIND_GONE, [`{${[...tableIds].join(',')}}`], 'repeatable')
    const gone = new Set(rows.map(([id]) => Number(id)))
    for (const channel of [...members.channels()]) {
      if (!channel.record.subscriptions.some(({ tableId }) => gone.has(tableId))) continue
      feed.refetch([channel], 'A table was dropped, or made anew.')
      this.#parts.channels.fail(channel)
    }
    await watchTables(
      this.#parts,
      [...tableIds].filter(id => !gone.has(id)),
    )
  }
}

const FIND_GONE = `
  select t.id from unnest($1::bigint[]) t (id)
  where not exists (select from pg_catalog.pg_class c where c.oid = t.id::oid and c.relkind in ('r', 'p'))`
