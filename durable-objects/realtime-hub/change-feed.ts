// The way of row changes from the log to the channels: in the order of the log, each once, to those who may see them.
// One batch at a time. What comes meanwhile is read from the log, so nothing has to be held here.

import { PostgresError } from '../../src/db/postgres-error.ts'
import { DomainError } from '../../src/errors.ts'
import { planSight, staleTables } from '../../src/features/realtime/changes/plan-sight.ts'
import { renderChanges, type Told } from '../../src/features/realtime/changes/render-changes.ts'
import type { Channel } from '../../src/features/realtime/hub/channel.ts'
import {
  type LogEntry,
  type LoggedChange,
  type LoggedGap,
  type LogPage,
  type LogPush,
  type LogReading,
  MESSAGES_TABLE_ID,
  type RealtimeLog,
} from '../../src/features/realtime/log/log-contract.ts'
import type { SightJudge } from '../../src/features/realtime/sight/judge-sight.ts'
import { systemMessage } from '../../src/features/realtime/wire/server-messages.ts'
import type { Deadline } from '../../src/lib/deadline.ts'
import type { ChannelGroups, MemberGroup } from './channel-groups.ts'
import type { Channels } from './channels.ts'
import type { DeliveryBudget } from './delivery-budget.ts'
import type { HubStorage } from './hub-storage.ts'
import { logFailure } from './log-failure.ts'
import type { Members } from './members.ts'
import { ReplayTurns } from './replay-turns.ts'

export interface FeedParts {
  readonly hubName: string
  readonly log: RealtimeLog
  readonly members: Members
  readonly groups: ChannelGroups
  readonly channels: Channels
  readonly storage: HubStorage
  readonly judge: SightJudge
  readonly budget: DeliveryBudget
  readonly deadline: Deadline
  readonly pause: (milliseconds: number) => Promise<void>
  /** A row of `realtime.messages`. */
  readonly onMessage: (change: LoggedChange) => Promise<void>
}

/** The log answers within this, or counts as gone. */
const LOG_TIMEOUT_MS = 10_000
/** Changes that are judged in one trip. */
const SLICE = 500
const RETRY_MS = [100, 500, 2_000]
/** Policies that change while they are asked. */
const PLANS_MAX = 3

export class ChangeFeed {
  readonly #parts: FeedParts
  /** Tables that the log was asked to tell of, and those of them that it has confirmed. */
  #asked: Set<number>
  readonly #followed: Set<number>
  #following: Promise<number> | undefined
  #isBusy = false
  #isBehind = false
  #turn: Promise<void> = Promise.resolve()
  readonly #replays = new ReplayTurns()
  changes = 0
  refetches = 0

  constructor(parts: FeedParts) {
    this.#parts = parts
    this.#asked = this.#wanted()
    this.#followed = new Set(this.#asked)
  }

  /** Everything up to here was told. */
  get position(): number {
    return this.#parts.storage.position ?? 0
  }

  /** Something behind it is being told. */
  get isTelling(): boolean {
    return this.#isBusy
  }

  /** The log tells of something. */
  get isFollowing(): boolean {
    return this.#asked.size > 0
  }

  /**
   * Has the log tell of these tables too; what commits from now on comes. Answers the place from which on it does.
   */
  async follow(tableIds: readonly number[]): Promise<number> {
    if (tableIds.every(id => this.#followed.has(id))) return this.position
    for (const id of tableIds) this.#asked.add(id)
    const head = await this.#tellLog()
    // Of several that are the first together, one alone: who came before it is live already.
    if (this.#followed.size === 0) this.#parts.storage.position = Math.max(head, this.position)
    // Where the socket has gone meanwhile, the table may be let go again.
    for (const id of tableIds) if (this.#asked.has(id)) this.#followed.add(id)
    return head
  }

  /** Lets tables go that nobody follows, says the others once more, and fetches what it was not told. */
  async settle(): Promise<void> {
    this.#asked = this.#wanted()
    for (const id of this.#followed) if (!this.#asked.has(id)) this.#followed.delete(id)
    const head = await this.#tellLog()
    // A batch may take long, and the rounds go on.
    if (this.#followed.size > 0 && head !== this.position)
      void this.#catchUp().catch(err => logFailure('not caught up', err))
  }

  /** The log has something new. */
  async changed(push: LogPush): Promise<void> {
    if (this.#followed.size === 0) return
    const isNext = push.after !== null && push.after <= this.position && !push.hasMore
    if (this.#isBusy) this.#isBehind = true
    else if (!isNext) await this.#catchUp()
    else await this.#catchUp(push)
  }

  /** Tells the channel what came behind its place in the log; then it is live. */
  async replay(channel: Channel): Promise<void> {
    await this.#replays.run(channel.socket.pass.address, async () => {
      await this.#replayPages(channel)
      // Whom a batch is told to is decided at its beginning: so the last page comes between two.
      await this.#inTurn(async () => {
        await this.#replayPages(channel)
        this.#parts.members.change(channel, { isLive: true })
        this.#parts.groups.forget()
      })
    })
  }

  async #replayPages(channel: Channel): Promise<void> {
    const { members } = this.#parts
    const tableIds = [...new Set(channel.record.subscriptions.map(({ tableId }) => tableId))]
    for (let hasMore = true; hasMore && members.isIn(channel); ) {
      const page = await this.#read(channel.record.after, () => tableIds)
      const isRead = typeof page !== 'string'
      if (!isRead) this.refetch([channel], 'Changes since then are not kept any more.')
      else await this.#tellGroups(page.entries, channel)
      members.change(channel, { after: isRead ? page.upTo : this.position })
      hasMore = isRead && page.hasMore
    }
  }

  /** Of channels, and of joins that are about to become one. */
  #wanted(): Set<number> {
    const wanted = new Set<number>()
    for (const { joining, channels } of this.#parts.members.sockets) {
      for (const id of joining) wanted.add(id)
      for (const { record } of channels.values()) {
        wanted.add(MESSAGES_TABLE_ID)
        for (const { tableId } of record.subscriptions) wanted.add(tableId)
      }
    }
    return wanted
  }

  /** Answers the log's head. One after the other: the log must not end with an older list than what is asked now. */
  async #tellLog(): Promise<number> {
    const { log, hubName, deadline } = this.#parts
    const before = this.#following
    const telling = (async () => {
      await before?.catch(() => undefined)
      return await deadline(LOG_TIMEOUT_MS, log.follow(hubName, [...this.#asked]))
    })()
    this.#following = telling
    try {
      return await telling
    } finally {
      if (this.#following === telling) this.#following = undefined
    }
  }

  /** The tables are asked for at each attempt: a join may have added one. */
  async #read(after: number, tableIds: () => readonly number[]): Promise<LogReading> {
    const { log, deadline } = this.#parts
    return await this.#untilDone(() => deadline(LOG_TIMEOUT_MS, log.read(after, tableIds())))
  }

  /** Tells everything up to the log's end. */
  async #catchUp(first?: LogPage): Promise<void> {
    if (this.#isBusy) {
      this.#isBehind = true
      return
    }
    this.#isBusy = true
    try {
      for (let page: LogReading | undefined = first; ; page = undefined) {
        this.#isBehind = false
        page ??= await this.#read(this.position, () => [...this.#followed])
        if (typeof page === 'string') await this.#skipToHead(page)
        else await this.#tell(page)
        const isOver = typeof page === 'string' || !page.hasMore
        if (isOver && !this.#isBehind) return
      }
    } finally {
      this.#isBusy = false
    }
  }

  async #skipToHead(why: 'too_old' | 'another_life'): Promise<void> {
    this.#parts.storage.position = await this.#untilDone(() => this.#tellLog())
    if (why === 'another_life') this.#beginAnew('The database was restored.')
    else this.refetch(this.#liveChannels(), 'Changes since then are not kept any more.')
  }

  /** All who follow tables join again, by name: tables may have other oids, or be gone. */
  #beginAnew(reason: string): void {
    const { members, channels } = this.#parts
    for (const channel of [...members.channels()]) {
      if (channel.record.subscriptions.length === 0) continue
      this.refetch([channel], reason)
      channels.fail(channel)
    }
  }

  async #tell({ entries, upTo }: LogPage): Promise<void> {
    await this.#inTurn(async () => {
      const fresh = entries.filter(({ number }) => number > this.position)
      await this.#tellGroups(fresh, undefined)
      this.#parts.storage.position = Math.max(this.position, upTo)
    })
  }

  /** One after the other, in the order of the calls. */
  async #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#turn.then(work)
    this.#turn = turn.catch(() => undefined)
    await turn
  }

  /** To this channel alone, or to all that are live; messages go to all. */
  async #tellGroups(entries: readonly LogEntry[], only: Channel | undefined): Promise<void> {
    for (let from = 0; from < entries.length; ) {
      const gap = entries.findIndex((entry, i) => i >= from && entry.kind === 'gap')
      const end = Math.min(from + SLICE, gap === -1 ? entries.length : gap)
      const changes = entries.slice(from, end) as LoggedChange[]
      if (changes.length > 0) await this.#tellChanges(changes, only)
      if (end === gap) this.#tellGap(entries[gap] as LoggedGap, only)
      from = end === gap ? end + 1 : end
    }
  }

  #tellGap({ isNewLife }: LoggedGap, only: Channel | undefined): void {
    if (isNewLife && only === undefined) this.#beginAnew('The database was restored.')
    else this.refetch(only ? [only] : this.#liveChannels(), 'Changes may have been lost.')
  }

  async #tellChanges(changes: readonly LoggedChange[], only: Channel | undefined): Promise<void> {
    const rows = changes.filter(({ table_id }) => table_id !== MESSAGES_TABLE_ID)
    this.#parts.channels.endTokens()
    // Made anew each time: what counts of claims is learned meanwhile.
    const groups = () => (only ? [this.#parts.groups.groupOf(only)] : this.#parts.groups.following(rows))
    const judged = rows.length > 0 && groups().length > 0 ? await this.#judged(rows, groups) : undefined
    // Rights that ended while policies were asked.
    this.#parts.channels.endTokens()
    if (judged) {
      const render = renderChanges(judged.plan, judged.answer)
      const last = rows.at(-1)?.number ?? 0
      for (const group of judged.groups) await this.#send(group, render(group), last)
    }
    if (only === undefined) {
      this.changes += rows.length
      for (const change of changes)
        if (change.table_id === MESSAGES_TABLE_ID && change.event === 'INSERT')
          await this.#parts.onMessage(change)
    }
  }

  /** Undefined: nobody can say who sees what, and all who follow the tables are told so. */
  async #judged(changes: readonly LoggedChange[], groups: () => readonly MemberGroup[]) {
    try {
      return await this.#judge(changes, groups)
    } catch (err) {
      logFailure('not judged', err)
      this.refetch(
        groups().flatMap(({ channels }) => [...channels]),
        'It could not be said who may see what has changed.',
      )
      return undefined
    }
  }

  async #judge(changes: readonly LoggedChange[], groups: () => readonly MemberGroup[]) {
    for (let round = 1; ; round++) {
      const asked = groups()
      const plan = planSight(changes, asked, this.#parts.groups.claimsRead)
      const answer = await this.#untilDone(() => this.#parts.judge.judge(plan.question), isPassing)
      const stale = new Set(staleTables(plan, answer))
      if (stale.size === 0) return { plan, answer, groups: asked }
      if (round === PLANS_MAX) throw new Error('policies changed each time that they were asked')
      for (const table of answer.tables)
        if (table && stale.has(table.tableId)) this.#parts.groups.learn(table.tableId, table.claimsRead)
    }
  }

  /** What is to be read again is about the batch as a whole, whose last number is `last`. */
  async #send(group: MemberGroup, told: readonly Told[], last: number): Promise<void> {
    const { members, budget } = this.#parts
    const frames = told.map(one =>
      'reason' in one ? one : { ...one, payload: `{"ids":[${one.ids.join(',')}],"data":${one.dataJson}}` },
    )
    for (const channel of group.channels) {
      const { after } = channel.record
      const due = frames.filter(one => ('reason' in one ? last : one.number) > after)
      if (due.length > 0) await budget.wait(due.length)
      this.#parts.channels.endTokens([channel])
      if (!this.#parts.groups.isStill(channel, group)) {
        // Another token came while policies were asked for the one before.
        if (due.length > 0) this.refetch([channel], 'The token is of another person, or has other claims.')
        continue
      }
      for (const one of due) {
        if ('reason' in one) this.refetch([channel], one.reason)
        else if (!members.push(channel, 'postgres_changes', one.payload)) break
      }
    }
  }

  /** Never silent: whoever may have missed something is told to read again. */
  refetch(channels: Iterable<Channel>, reason: string): void {
    for (const channel of channels) {
      if (channel.record.subscriptions.length === 0) continue
      this.refetches += 1
      const news = {
        extension: 'postgres_changes',
        status: 'error',
        message: 'must_refetch',
        reason,
      } as const
      this.#parts.members.send(channel.socket, systemMessage(channel.socket.pass.vsn, channel.record, news))
    }
  }

  *#liveChannels(): Generator<Channel> {
    for (const channel of this.#parts.members.channels()) if (channel.record.isLive) yield channel
  }

  /** Again and again: the log keeps what is waiting. Gives up when nobody is here any more, or it would never be. */
  async #untilDone<T>(
    work: () => Promise<T>,
    mayPass: (err: unknown, attempt: number) => boolean = () => true,
  ): Promise<T> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await work()
      } catch (err) {
        if (this.#parts.members.socketCount === 0 || !mayPass(err, attempt)) throw err
        logFailure('tried again', err)
        await this.#parts.pause(RETRY_MS[Math.min(attempt, RETRY_MS.length - 1)] ?? 0)
      }
    }
  }
}

const TIMEOUTS_MAX = 5
const PASSING = new Set(['database_unavailable', 'too_many_calls'])

/** The database is away, full or busy (classes 08, 40, 53, 57), or its gateway is. */
function isPassing(err: unknown, attempt: number): boolean {
  // A question without anybody's policies that takes a second: for some seconds that may be a lock.
  if (err instanceof PostgresError && err.code === '57014') return attempt < TIMEOUTS_MAX
  if (err instanceof PostgresError) return /^(?:08|40|53|57)/.test(err.code)
  return err instanceof DomainError && PASSING.has(err.code)
}
