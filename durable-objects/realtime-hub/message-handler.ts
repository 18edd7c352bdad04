// What becomes of a client's messages: heartbeats, joins and leaves, tokens, broadcasts, presence.

import { PostgresError } from '../../src/db/postgres-error.ts'
import { DomainError } from '../../src/errors.ts'
import {
  type Channel,
  type ChannelRecord,
  type HubSocket,
  tokenEnd,
} from '../../src/features/realtime/hub/channel.ts'
import { readAccessToken } from '../../src/features/realtime/wire/access-token.ts'
import {
  type BroadcastPush,
  isHeartbeat,
  lengthOf,
  pushedBroadcastFrame,
  readBroadcast,
  readPresence,
} from '../../src/features/realtime/wire/client-messages.ts'
import {
  broadcastFrame,
  type ClientFrame,
  type FrameHead,
  isStale,
  type MessageFrame,
} from '../../src/features/realtime/wire/frames.ts'
import { MessageError } from '../../src/features/realtime/wire/message-error.ts'
import {
  errorReply,
  joinReply,
  okReply,
  presenceStateMessage,
  REPLICATION_READY,
  SUBSCRIBED,
  systemMessage,
  UNMATCHED_TOPIC,
} from '../../src/features/realtime/wire/server-messages.ts'
import { failed } from './channels.ts'
import type { HubParts } from './hub-parts.ts'
import { claimsOf, clientOf, followsOf, type Joined, joinChannel, reasonOf } from './join-channel.ts'
import { CLOSE, type Topic } from './members.ts'
import type { RowMessage } from './message-row.ts'
import { refuseBeyondBounds } from './refuse-beyond-bounds.ts'
import { replayMessages } from './replay-messages.ts'
import { mayRead, refuseUnwritable } from './topic-rights.ts'

/** Behind a join that waits. */
const FRAMES_WAITING_MAX = 500

export class MessageHandler {
  readonly #parts: HubParts
  /** Broadcasts and presence that came since the object woke up. */
  messages = 0

  constructor(parts: HubParts) {
    this.#parts = parts
  }

  /** Handles a frame after those that came before it on the socket. Never throws. */
  async handle(socket: HubSocket, frame: ClientFrame): Promise<void> {
    if (isHeartbeat(frame)) return this.#heartbeat(socket, frame)
    if (socket.waiting >= FRAMES_WAITING_MAX)
      return this.#parts.members.close(socket, CLOSE.policy, 'too many messages')
    socket.waiting += 1
    socket.work = socket.work.then(() => this.#handle(socket, frame))
    await socket.work
    socket.waiting -= 1
  }

  async #handle(socket: HubSocket, frame: ClientFrame): Promise<void> {
    if (!socket.isOpen) return
    try {
      if (frame.kind === 'message' && frame.event === 'phx_join') await this.#join(socket, frame)
      else await this.#inChannel(socket, frame)
    } catch (err) {
      logUnknown(err)
      const reason = reasonOf(err)
      this.#reply(socket, errorReply(socket.pass.vsn, frame, reason))
      // A client that asks for no answer drops the reply.
      const channel = socket.channels.get(frame.topic)
      if (channel && frame.event !== 'phx_join') this.#parts.channels.say(channel, failed(reason))
    } finally {
      socket.joining = []
    }
  }

  /**
   * The next heartbeat is sent only after this one's answer came: so everything in front of that answer has arrived.
   */
  #heartbeat(socket: HubSocket, frame: FrameHead): void {
    const { members, storage, feed, nowMs } = this.#parts
    const client = clientOf(socket.pass)
    members.hear(socket, nowMs())
    for (const channel of socket.channels.values()) {
      const { topic, follows, after, isLive, subscriptions } = channel.record
      if (client !== null && channel.offered !== undefined)
        storage.putReceipt(client, topic, follows, channel.offered, nowMs())
      else if (client !== null) storage.keepReceipt(client, topic, nowMs())
      const sent = isLive ? Math.max(feed.position, after) : after
      channel.offered = subscriptions.length > 0 ? sent : undefined
    }
    this.#reply(socket, okReply(socket.pass.vsn, frame))
  }

  async #join(socket: HubSocket, frame: MessageFrame): Promise<void> {
    const { channels } = this.#parts
    // Whatever becomes of the new join: the client has let go of the old one.
    const before = socket.channels.get(frame.topic)
    if (before) channels.leave(before)
    const joined = await joinChannel(this.#parts, socket, frame)
    const { record, request } = joined
    const { replay } = request.broadcast
    if (replay === undefined) return this.#enter(socket, frame, joined, [])
    await channels.holding(record, async takeHeld => {
      const replayed = await replayMessages(this.#parts, socket, record, replay)
      const ids = new Set(replayed.map(({ id }) => id))
      const late = takeHeld().filter(({ id }) => !ids.has(id))
      this.#enter(socket, frame, joined, [
        ...replayed.map(message => ({ ...message, meta: { id: message.id, replayed: true } })),
        ...late.map(message => ({ ...message, meta: { id: message.id } })),
      ])
    })
  }

  /** The channel is there from here on. Nothing is waited for: others may have joined meanwhile, and none can now. */
  #enter(
    socket: HubSocket,
    frame: MessageFrame,
    { record, request, resumesAfter }: Joined,
    messages: readonly (RowMessage & { readonly meta: object })[],
  ): void {
    const { members, groups, channels, feed, storage, nowMs } = this.#parts
    const { vsn } = socket.pass
    if (!socket.isOpen) return
    refuseBeyondBounds(this.#parts, socket, record)
    if (record.tokenEndsAtMs !== null && record.tokenEndsAtMs <= nowMs())
      throw new DomainError(
        'invalid_access_token',
        'The access token has ended while the join was under way.',
      )
    const channel = members.join(socket, record)
    channel.replayed = new Set(messages.map(({ id }) => id))
    groups.forget()
    const changes = request.postgres_changes.map(({ sent }, index) => ({ id: index + 1, sent }))
    this.#reply(socket, joinReply(vsn, frame, changes))
    if (record.presence.isEnabled) {
      const state = JSON.stringify(members.topicOf(channel).presence.state())
      members.send(socket, presenceStateMessage(vsn, record, state))
    }
    if (request.broadcast.replicationReady) channels.say(channel, REPLICATION_READY)
    for (const { event, payload, meta } of messages) {
      const sent = broadcastFrame(vsn, record.topic, event, payload, meta)
      if (sent !== undefined) members.send(socket, sent)
    }
    if (record.subscriptions.length === 0) return
    const client = clientOf(socket.pass)
    if (client !== null) storage.putReceipt(client, record.topic, record.follows, record.after, nowMs())
    channels.say(channel, { ...SUBSCRIBED, after: record.after })
    if (resumesAfter === 'unknown') feed.refetch([channel], 'It is not known where this client left off.')
    else if (resumesAfter !== null) void this.#replay(channel)
  }

  async #replay(channel: Channel): Promise<void> {
    try {
      await this.#parts.feed.replay(channel)
    } catch (err) {
      logUnknown(err)
      if (this.#parts.members.isIn(channel)) this.#parts.channels.fail(channel)
    }
  }

  async #inChannel(socket: HubSocket, frame: ClientFrame): Promise<void> {
    const joined = socket.channels.get(frame.topic)
    // What comes of a token that has ended comes of nobody.
    if (joined) this.#parts.channels.endTokens([joined])
    const channel = socket.channels.get(frame.topic)
    if (channel === undefined) {
      if (frame.kind === 'message' && frame.event === 'phx_leave')
        this.#reply(socket, okReply(socket.pass.vsn, frame))
      else this.#reply(socket, errorReply(socket.pass.vsn, frame, UNMATCHED_TOPIC))
      return
    }
    if (frame.event === 'phx_leave' && isStale(frame.joinRef, channel.record.joinRef)) {
      // Of an older join of the topic: only a leave of it could harm the join that stands.
      this.#reply(socket, okReply(socket.pass.vsn, frame))
      return
    }
    const broadcast = readBroadcast(frame)
    if (broadcast) return await this.#broadcast(channel, frame, broadcast)
    if (frame.kind !== 'message') return
    switch (frame.event) {
      case 'phx_leave':
        this.#forgetReceipt(channel)
        this.#reply(socket, okReply(socket.pass.vsn, frame))
        return this.#parts.channels.leave(channel)
      case 'access_token':
        return await this.#renewToken(channel, readAccessToken(frame.payload))
      case 'presence':
        return await this.#presence(channel, frame)
      default:
        throw new MessageError(
          'UnknownEvent',
          `channels have no event ${JSON.stringify(frame.event.slice(0, 100))}`,
        )
    }
  }

  async #renewToken(channel: Channel, token: string | undefined): Promise<void> {
    if (token === undefined) return
    const { members, groups, feed } = this.#parts
    const { socket, record } = channel
    let claims: ChannelRecord['claims']
    let follows: string
    let seesPresence = true
    try {
      claims = await claimsOf(this.#parts, socket, token)
      follows = await followsOf(this.#parts.config, socket, claims, record.subscriptions)
      if (record.isPrivate) seesPresence = await mayRead(this.#parts, socket, claims, record.topic)
      refuseBeyondBounds(this.#parts, socket, { ...record, claims }, channel)
    } catch (err) {
      this.#parts.channels.say(channel, failed(reasonOf(err)))
      return this.#parts.channels.leave(channel)
    }
    if (socket.channels.get(record.topic) !== channel) return
    const classIn = (tableId: number, of: ChannelRecord['claims']) =>
      groups.classKey(tableId, socket.pass, of)
    const isSame = record.subscriptions.every(
      ({ tableId }) => classIn(tableId, claims) === classIn(tableId, record.claims),
    )
    const presence = { ...record.presence, isEnabled: record.presence.isEnabled && seesPresence }
    members.change(channel, { claims, follows, tokenEndsAtMs: tokenEnd(claims), presence })
    channel.rights = undefined
    if (record.subscriptions.length === 0) return
    groups.forget()
    if (isSame) return
    this.#forgetReceipt(channel)
    feed.refetch([channel], 'The token is of another person, or has other claims.')
  }

  async #broadcast(channel: Channel, frame: FrameHead, push: BroadcastPush): Promise<void> {
    const { members, channels } = this.#parts
    const { socket, record } = channel
    this.#count(socket, lengthOf(push))
    await refuseUnwritable(this.#parts, channel, 'broadcast')
    if (socket.channels.get(record.topic) !== channel) return
    const topic = members.topicOf(channel)
    this.#countDeliveries(topic)
    const isFor = (one: Channel) => record.broadcast.self || one !== channel
    channels.deliver(topic, vsn => pushedBroadcastFrame(vsn, record.topic, push), isFor)
    if (record.broadcast.ack) this.#reply(socket, okReply(socket.pass.vsn, frame))
  }

  async #presence(channel: Channel, frame: MessageFrame): Promise<void> {
    const { members, channels, storage } = this.#parts
    const { socket, record } = channel
    const push = readPresence(frame.payload)
    // What it replaces is sent too.
    this.#count(socket, 2 * frame.payloadJson.length)
    await refuseUnwritable(this.#parts, channel, 'presence')
    if (socket.channels.get(record.topic) !== channel) return
    const topic = members.topicOf(channel)
    this.#countDeliveries(topic)
    const { key } = record.presence
    const diff =
      push.event === 'untrack'
        ? topic.presence.untrack(socket.id, key)
        : topic.presence.track(socket.id, key, push.payload, crypto.randomUUID())
    const kept = topic.presence.recordOf(socket.id, key)
    if (kept) storage.putPresence(socket.id, record.topic, kept)
    else storage.removePresence(socket.id, record.topic)
    channels.tellPresence(topic, diff)
    this.#reply(socket, okReply(socket.pass.vsn, frame))
  }

  /** Throws `rate_limited`. */
  #count({ pass }: HubSocket, bytes: number): void {
    if (this.takeMessages(pass.caller, 1, bytes)) return
    const { realtimeMessagesPerSecond: messages, realtimeMessageBytesMax: most } = this.#parts.config
    throw new DomainError('rate_limited', 'The key has sent as much within a second as it may.', {
      hint:
        `That is ${messages} messages (REALTIME_MESSAGES_PER_SECOND) and twice ${most} bytes ` +
        '(REALTIME_MESSAGE_BYTES_MAX): send fewer or smaller ones.',
      retryAfterSeconds: 1,
    })
  }

  /** What goes to all in the topic. Throws `rate_limited`, and then nobody has it. */
  #countDeliveries({ channels }: Topic): void {
    if (this.#parts.budget.take(channels.size)) return
    const message = 'The project has sent as many frames within this second as it may.'
    throw new DomainError('rate_limited', message, {
      detail: `The message goes to ${channels.size} sockets.`,
      hint: 'Send less often, or raise REALTIME_DELIVERIES_PER_SECOND.',
    })
  }

  /** False: that is more than the caller may send within a second. */
  takeMessages(caller: string, messages: number, bytes: number): boolean {
    const { rates, byteRates } = this.#parts
    if (!rates.take(caller, messages) || !byteRates.take(caller, bytes)) return false
    this.messages += messages
    return true
  }

  /** Of a frame that could be read and is too large. */
  refuseSize(socket: HubSocket, frame: ClientFrame): void {
    const max = this.#parts.config.realtimeMessageBytesMax
    const reason = `PayloadTooLarge: a message has at most ${max} bytes (REALTIME_MESSAGE_BYTES_MAX)`
    this.#reply(socket, errorReply(socket.pass.vsn, frame, reason))
    const channel = socket.channels.get(frame.topic)
    if (channel) this.#parts.channels.say(channel, failed(reason))
  }

  /** Of what is no frame: said on the topic that belongs to no channel. */
  refuseFrame(socket: HubSocket, reason: string): void {
    const news = failed(`MalformedFrame: ${reason}`)
    this.#reply(socket, systemMessage(socket.pass.vsn, { topic: 'phoenix', joinRef: null }, news))
  }

  #forgetReceipt({ socket, record }: Channel): void {
    const client = clientOf(socket.pass)
    if (client !== null) this.#parts.storage.removeReceipt(client, record.topic)
  }

  #reply(socket: HubSocket, frame: string): void {
    this.#parts.members.send(socket, frame)
  }
}

/** What is ours is said to the client alone; all else is a fault of ours. */
function logUnknown(err: unknown): void {
  if (err instanceof DomainError || err instanceof MessageError || err instanceof PostgresError) return
  console.error(JSON.stringify({ level: 'error', component: 'realtime', message: String(err) }))
}
