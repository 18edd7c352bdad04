// One object per project, named by the project's id: its sockets, the channels that they have joined, and who hears
// what. It sleeps while nothing is said; sockets stay open. docs/design/realtime.md tells its part of a change's way.
//
// What this must keep true: a socket hears only what its caller may see now. Whatever was not sent is said.

import { DurableObject } from 'cloudflare:workers'
import { getSession } from '../../src/clients/identity-admin.ts'
import { makeUpstreams } from '../../src/clients/upstreams.ts'
import { parseConfig } from '../../src/config.ts'
import { dataDatabase, type Env, platformDatabase } from '../../src/deps.ts'
import { networkOf } from '../../src/features/api-keys/limit/network.ts'
import { makeEndUserTokens } from '../../src/features/oauth/end-user/end-user-tokens.ts'
import type { HubSocket } from '../../src/features/realtime/hub/channel.ts'
import {
  type BroadcastOutcome,
  type RealtimeHub as Hub,
  type HubBroadcast,
  type HubState,
  PASS_HEADER,
  type SocketPass,
  type TicketHolder,
} from '../../src/features/realtime/hub/hub-contract.ts'
import type { LogPush } from '../../src/features/realtime/log/log-contract.ts'
import { askSight } from '../../src/features/realtime/sight/ask-sight.ts'
import { SightJudge } from '../../src/features/realtime/sight/judge-sight.ts'
import { type RateCounter, rateCounter } from '../../src/features/realtime/topics/rates.ts'
import {
  broadcastFrame,
  FrameError,
  payloadLength,
  readFrame,
} from '../../src/features/realtime/wire/frames.ts'
import { bareTopic, fullTopic } from '../../src/features/realtime/wire/topic.ts'
import { sharedDeadline } from '../../src/lib/deadline.ts'
import { sha256Hex } from '../../src/lib/hash.ts'
import { ChangeFeed } from './change-feed.ts'
import { ChannelGroups } from './channel-groups.ts'
import { Channels } from './channels.ts'
import { DeliveryBudget } from './delivery-budget.ts'
import type { HubParts } from './hub-parts.ts'
import { HubStorage } from './hub-storage.ts'
import { CLOSE, Members } from './members.ts'
import { MessageHandler } from './message-handler.ts'
import { messageOf } from './message-row.ts'
import { Upkeep } from './upkeep.ts'

const TICKET_MS = 30_000
/** A frame over this ends its socket. One that is smaller and too large is refused by name: to read it costs. */
const FRAME_BYTES_MAX = 4 * 1024 * 1024
/** The next one within this ends the socket. */
const LARGE_FRAME_MS = 60_000
const TOPICS_TOLD_MAX = 100
/** Of the largest messages a caller sends no more in a second: readers have to keep up with all. */
const MESSAGES_OF_FULL_SIZE = 2
/** Joins, heartbeats and refused messages come beside those that count. */
const FRAMES_FACTOR = 3

export class RealtimeHub extends DurableObject<Env> implements Hub {
  readonly #parts: HubParts
  readonly #messages: MessageHandler
  readonly #upkeep: Upkeep
  readonly #judge: SightJudge
  readonly #frames: RateCounter
  /** By client address. */
  readonly #frameBytes: RateCounter
  readonly #largeFrames: RateCounter

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    const config = parseConfig(env)
    const deadline = sharedDeadline()
    const nowMs = () => Date.now()
    const bytesPerSecond = MESSAGES_OF_FULL_SIZE * config.realtimeMessageBytesMax
    const upstreams = makeUpstreams(config, (...args) => fetch(...args))
    const data = dataDatabase(config, deadline)
    const platform = platformDatabase(config, deadline)
    const storage = new HubStorage(ctx.storage)
    const members = new Members(storage, ctx.getWebSockets())
    const groups = new ChannelGroups(members, config)
    const channels = new Channels({ members, groups, nowMs })
    const budget = new DeliveryBudget(config.realtimeDeliveriesPerSecond, nowMs, pause)
    const share = `realtime/${ctx.id.name ?? ''}`
    this.#judge = new SightJudge(
      (question, timeoutMs) => askSight({ data, config }, question, { timeoutMs, share }),
      nowMs,
    )
    const feed = new ChangeFeed({
      hubName: ctx.id.name ?? '',
      log: env.REALTIME_LOG.getByName('all'),
      members,
      groups,
      channels,
      storage,
      judge: this.#judge,
      budget,
      deadline,
      pause,
      onMessage: change => this.#tellMessage(change.row),
    })
    this.#parts = {
      config,
      data,
      platform,
      limiters: { byHash: keyHash => env.API_KEY_LIMITER.getByName(keyHash) },
      verifyAccessToken: makeEndUserTokens({ config, upstreams, now: () => new Date() }).verifyAccessToken,
      isSessionActive: async id => (await getSession(upstreams.identityAdmin, id))?.active === true,
      nowMs,
      members,
      groups,
      channels,
      storage,
      feed,
      budget,
      share,
      rates: rateCounter(config.realtimeMessagesPerSecond, 1_000, nowMs),
      byteRates: rateCounter(bytesPerSecond, 1_000, nowMs),
    }
    this.#frames = rateCounter(FRAMES_FACTOR * config.realtimeMessagesPerSecond, 1_000, nowMs)
    this.#frameBytes = rateCounter(FRAMES_FACTOR * bytesPerSecond, 1_000, nowMs)
    this.#largeFrames = rateCounter(1, LARGE_FRAME_MS, nowMs)
    this.#messages = new MessageHandler(this.#parts)
    this.#upkeep = new Upkeep(this.#parts, ctx.storage)
    this.#parts.channels.recover()
  }

  override async fetch(request: Request): Promise<Response> {
    const pass = JSON.parse(
      decodeURIComponent(request.headers.get(PASS_HEADER) ?? 'null'),
    ) as SocketPass | null
    if (pass === null) return new Response(null, { status: 400 })
    const refusal = this.#tooManyLike(pass)
    if (refusal !== undefined) return Response.json(refusal, { status: 429 })
    const { 0: client, 1: server } = new WebSocketPair()
    this.ctx.acceptWebSocket(server)
    this.#parts.members.add(server, pass, this.#parts.nowMs())
    await this.#upkeep.plan()
    return new Response(null, { status: 101, webSocket: client })
  }

  override async webSocketMessage(ws: WebSocket, data: string | ArrayBuffer): Promise<void> {
    const socket = this.#parts.members.find(ws)
    if (socket === undefined) return ws.close(CLOSE.policy, 'unknown socket')
    const bytes = typeof data === 'string' ? data.length : data.byteLength
    const isLarge = bytes > this.#parts.config.realtimeMessageBytesMax
    // Before it is read: who floods is not to cost the others.
    const refusal = this.#refusalOf(socket, bytes, isLarge)
    if (refusal) return this.#parts.members.close(socket, ...refusal)
    try {
      const frame = readFrame(socket.pass.vsn, data)
      if (isLarge) this.#messages.refuseSize(socket, frame)
      else await this.#messages.handle(socket, frame)
      // Joins and tokens may end sooner than the next round.
      if (frame.event === 'phx_join' || frame.event === 'access_token')
        await this.#upkeep.plan(socket.channels.values())
    } catch (err) {
      if (!(err instanceof FrameError)) throw err
      this.#messages.refuseFrame(socket, err.message)
    }
  }

  override async webSocketClose(ws: WebSocket, code: number): Promise<void> {
    this.#gone(ws)
    // Answers the client's close; codes that are never sent become a plain one.
    try {
      ws.close(code >= 3_000 || (code >= 1_000 && code <= 1_003) ? code : CLOSE.going)
    } catch {
      // The runtime has closed it already.
    }
  }

  override async webSocketError(ws: WebSocket): Promise<void> {
    this.#gone(ws)
  }

  override async alarm(): Promise<void> {
    await this.#upkeep.run()
  }

  async changed(push: LogPush): Promise<void> {
    await this.#parts.feed.changed(push)
  }

  async broadcast(caller: string, messages: readonly HubBroadcast[]): Promise<BroadcastOutcome> {
    const { members, budget } = this.#parts
    const bytes = messages.reduce((sum, { payload }) => sum + payloadLength(payload), 0)
    if (!this.#messages.takeMessages(caller, messages.length, bytes)) return 'too_many_messages'
    const found = messages.flatMap(message => {
      const topic = members.findTopic(fullTopic(message.topic), message.isPrivate)
      return topic === undefined ? [] : [{ topic, message }]
    })
    if (!budget.take(found.reduce((sum, { topic }) => sum + topic.channels.size, 0)))
      return 'too_many_deliveries'
    for (const { topic, message } of found)
      this.#parts.channels.deliver(topic, vsn =>
        broadcastFrame(vsn, topic.topic, message.event, message.payload),
      )
    return 'sent'
  }

  async recheck(): Promise<void> {
    await this.#upkeep.recheck()
  }

  async issueTicket(holder: TicketHolder): Promise<string | undefined> {
    const ticket = crypto.randomUUID() + crypto.randomUUID()
    const { storage, nowMs } = this.#parts
    storage.forgetOld(nowMs())
    const isKept = storage.addTicket(await sha256Hex(ticket), holder, nowMs() + TICKET_MS)
    return isKept ? ticket : undefined
  }

  async takeTicket(ticket: string): Promise<TicketHolder | undefined> {
    return this.#parts.storage.takeTicket(await sha256Hex(ticket), this.#parts.nowMs())
  }

  async state(): Promise<HubState> {
    const { members, groups, feed } = this.#parts
    const topics = [...members.topics]
    return {
      connections: members.socketCount,
      channels: topics.reduce((sum, { channels }) => sum + channels.size, 0),
      topics: topics
        .map(({ topic, isPrivate, channels, presence }) => ({
          topic: bareTopic(topic),
          isPrivate,
          members: channels.size,
          present: presence.keyCount(),
        }))
        .sort((a, b) => b.members - a.members)
        .slice(0, TOPICS_TOLD_MAX),
      subscriptions: groups.byTable(),
      position: feed.position,
      isTelling: feed.isTelling,
      counts: {
        changes: feed.changes,
        statements: this.#judge.statements,
        deliveries: members.deliveries,
        messages: this.#messages.messages,
        refetches: feed.refetches,
      },
    }
  }

  #gone(ws: WebSocket): void {
    const socket = this.#parts.members.find(ws)
    if (socket === undefined) return
    socket.isOpen = false
    this.#parts.channels.leaveAll(socket)
  }

  /** A committed message waits for its frames, as row changes do. */
  async #tellMessage(row: string | null): Promise<void> {
    const { members, channels, budget } = this.#parts
    const message = messageOf(row)
    if (message === undefined) return
    const topic = members.findTopic(fullTopic(message.topic), message.isPrivate)
    await budget.wait(topic?.channels.size ?? 0)
    channels.tellMessage(message)
  }

  /** Why a socket has to end that sends this: code and reason. */
  #refusalOf(
    { id, pass }: HubSocket,
    bytes: number,
    isLarge: boolean,
  ): [code: number, reason: string] | undefined {
    if (!this.#frames.take(id)) return [CLOSE.policy, 'too many messages']
    if (bytes > FRAME_BYTES_MAX || (isLarge && !this.#largeFrames.take(id)))
      return [CLOSE.tooLarge, 'message too large']
    if (!isLarge && !this.#frameBytes.take(networkOf(pass.address), bytes))
      return [CLOSE.policy, 'too many bytes']
    return undefined
  }

  #tooManyLike(pass: SocketPass) {
    const { config, members } = this.#parts
    const { ofCaller, ofAddress } = members.countLike(pass)
    const ofKey = config.realtimeSocketsPerKey
    if (ofCaller >= ofKey)
      return {
        code: 'rate_limited',
        message: `The key has ${ofKey} sockets open already.`,
        hint: 'Close some, or raise REALTIME_SOCKETS_PER_KEY.',
      }
    if (ofAddress >= config.realtimeSocketsPerAddress)
      return {
        code: 'rate_limited',
        message: `The client address has ${config.realtimeSocketsPerAddress} sockets open already.`,
        hint: 'Use one client for all channels of a page, or raise REALTIME_SOCKETS_PER_ADDRESS.',
      }
    return undefined
  }
}

const pause = (milliseconds: number) => new Promise<void>(resolve => setTimeout(resolve, milliseconds))
