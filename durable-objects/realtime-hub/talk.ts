// What becomes of a client's messages: heartbeats, joins and leaves, tokens, broadcasts, presence.

import { DomainError } from '../../src/errors.ts'
import { claimsJson, classKey } from '../../src/features/realtime/changes/claims.ts'
import { bareTopic, type Channel, type HubSocket, tokenEnd } from '../../src/features/realtime/hub/channel.ts'
import { askTopic } from '../../src/features/realtime/sight/ask-topic.ts'
import type { PresenceDiff } from '../../src/features/realtime/topics/presence.ts'
import {
  parseAccessToken,
  parseBroadcast,
  parsePresence,
} from '../../src/features/realtime/wire/client-messages.ts'
import {
  type BroadcastPayload,
  broadcastFrame,
  type ClientFrame,
  messageFrame,
} from '../../src/features/realtime/wire/frames.ts'
import {
  errorReplyPayload,
  joinReplyPayload,
  okReplyPayload,
  systemPayload,
} from '../../src/features/realtime/wire/server-messages.ts'
import type { HubParts } from './hub-parts.ts'
import { claimsOf, clientOf, isKey, joinChannel, reasonOf } from './join-channel.ts'
import type { Topic } from './members.ts'

/** So long it is believed what policies said of sending. */
const RIGHTS_MS = 5 * 60_000

type Message = Extract<ClientFrame, { kind: 'message' }>
type Pushed = Pick<ClientFrame, 'topic' | 'joinRef' | 'ref'>

export class Talk {
  readonly #parts: HubParts

  constructor(parts: HubParts) {
    this.#parts = parts
  }

  /** Handles a frame after those that came before it on the socket. Never throws. */
  async handle(socket: HubSocket, frame: ClientFrame): Promise<void> {
    if (frame.topic === 'phoenix') return this.#heartbeat(socket, frame)
    socket.work = socket.work.then(() => this.#handle(socket, frame))
    await socket.work
  }

  async #handle(socket: HubSocket, frame: ClientFrame): Promise<void> {
    if (!socket.isOpen) return
    try {
      if (frame.kind === 'message' && frame.event === 'phx_join') await this.#join(socket, frame)
      else await this.#inChannel(socket, frame)
    } catch (err) {
      if (!(err instanceof Error)) throw err
      logUnknown(err)
      this.#reply(socket, frame, errorReplyPayload(reasonOf(err)))
    }
  }

  /**
   * The next heartbeat is sent only after this one's answer came: so everything in front of that answer has arrived.
   */
  #heartbeat(socket: HubSocket, frame: Pushed): void {
    const { members, storage, feed, nowMs } = this.#parts
    const client = clientOf(socket.pass)
    members.hear(socket, nowMs())
    for (const channel of socket.channels.values()) {
      if (client !== null && channel.offered !== undefined)
        storage.putReceipt(client, channel.record.topic, channel.offered, nowMs())
      const isFollowing = channel.isLive && channel.record.subscriptions.length > 0
      channel.offered = isFollowing ? feed.position : undefined
    }
    this.#reply(socket, frame, okReplyPayload())
  }

  async #join(socket: HubSocket, frame: Message): Promise<void> {
    const { members, feed, storage, nowMs } = this.#parts
    const { record, request, resumesAfter } = await joinChannel(this.#parts, socket, frame)
    if (!socket.isOpen) return
    const before = socket.channels.get(frame.topic)
    if (before) this.leave(before, 'phx_close')
    const follows = record.subscriptions.length > 0
    const channel = members.join(socket, record, resumesAfter === null)
    feed.regroup()
    this.#reply(socket, frame, joinReplyPayload(request.postgres_changes, record.after))
    if (record.presence.isEnabled)
      members.push(channel, 'presence_state', members.topicOf(channel).presence.stateJson())
    if (!follows) return
    const client = clientOf(socket.pass)
    if (client !== null) storage.putReceipt(client, record.topic, record.after, nowMs())
    this.#system(channel, 'postgres_changes', 'ok', 'Subscribed to PostgreSQL')
    if (resumesAfter !== null) void feed.replay(channel).catch(logUnknown)
  }

  async #inChannel(socket: HubSocket, frame: ClientFrame): Promise<void> {
    const channel = socket.channels.get(frame.topic)
    if (channel === undefined) {
      if (frame.kind === 'message' && frame.event === 'phx_leave')
        this.#reply(socket, frame, okReplyPayload())
      else this.#reply(socket, frame, errorReplyPayload('unmatched topic'))
      return
    }
    if (frame.kind === 'broadcast') return await this.#broadcast(channel, frame, frame)
    switch (frame.event) {
      case 'phx_leave':
        this.#forgetReceipt(channel)
        this.#reply(socket, frame, okReplyPayload())
        return this.leave(channel, 'phx_close')
      case 'access_token':
        return await this.#renewToken(channel, parseAccessToken(frame.payload))
      case 'broadcast':
        return await this.#broadcast(channel, frame, parseBroadcast(frame.payload))
      case 'presence':
        return await this.#presence(channel, frame)
      default:
        this.#reply(
          socket,
          frame,
          errorReplyPayload(`UnknownEvent: ${frame.event.slice(0, 100)} is no event of channels`),
        )
    }
  }

  /** Takes the channel out and tells those who stay. */
  leave(channel: Channel, event: 'phx_close' | 'phx_error' | null): void {
    const { members, feed } = this.#parts
    const topic = members.topicOf(channel)
    if (event !== null) members.push(channel, event, '{}')
    members.leave(channel)
    this.#tellPresence(topic, topic.presence.leave(channel.socket.id))
    if (channel.record.subscriptions.length > 0) feed.regroup()
  }

  leaveAll(socket: HubSocket): void {
    for (const channel of [...socket.channels.values()]) this.leave(channel, null)
    this.#parts.members.remove(socket)
  }

  /** Channels whose token has ended are closed: its rights end with it. */
  endTokens(): void {
    const nowMs = this.#parts.nowMs()
    for (const channel of [...this.#parts.members.channels()]) {
      const { tokenEndsAtMs } = channel.record
      if (tokenEndsAtMs === null || tokenEndsAtMs > nowMs) continue
      this.#system(
        channel,
        'system',
        'error',
        'Token has expired: send a new access_token, or join again with one',
      )
      this.leave(channel, 'phx_close')
    }
  }

  async #renewToken(channel: Channel, token: string | null): Promise<void> {
    if (token === null || isKey(token)) return
    const { members, feed } = this.#parts
    const { socket, record } = channel
    let claims: Channel['record']['claims']
    try {
      claims = await claimsOf(this.#parts, socket, token)
      if (record.isPrivate) await this.#refuseUnreadable(channel, claims)
    } catch (err) {
      this.#system(channel, 'system', 'error', reasonOf(err))
      return this.leave(channel, 'phx_close')
    }
    if (socket.channels.get(record.topic) !== channel) return
    const { role } = socket.pass
    const isSame = classKey(role, claims, []) === classKey(role, record.claims, [])
    members.change(channel, { claims, tokenEndsAtMs: tokenEnd(claims) })
    channel.rights = undefined
    if (record.subscriptions.length === 0) return
    feed.regroup()
    if (!isSame) feed.refetch([channel], 'the token is of another person or has other claims')
  }

  async #refuseUnreadable({ socket, record }: Channel, claims: Channel['record']['claims']): Promise<void> {
    const { role } = socket.pass
    const topic = bareTopic(record.topic)
    const rights = await askTopic(this.#parts, { role, claims: claimsJson(role, claims) }, topic)
    if (rights.broadcast.read) return
    throw new DomainError(
      'unauthorized_topic',
      `You do not have permissions to read from this Channel topic: ${topic}`,
    )
  }

  async #broadcast(
    channel: Channel,
    pushed: Pushed,
    { event, payload }: { event: string; payload: BroadcastPayload },
  ): Promise<void> {
    const { members } = this.#parts
    const { socket, record } = channel
    this.#countMessage(socket)
    if (record.isPrivate && !(await this.#mayWrite(channel, 'broadcast')))
      throw unauthorizedWrite(record.topic)
    this.sendBroadcast(members.topicOf(channel), event, payload, record.broadcast.self ? undefined : channel)
    if (record.broadcast.ack) this.#reply(socket, pushed, okReplyPayload())
  }

  /** To all in the topic but `except`. Throws `rate_limited`, and then nobody has it. */
  sendBroadcast(
    topic: Topic,
    event: string,
    payload: BroadcastPayload,
    except?: Channel,
    meta?: object,
  ): void {
    const { members, budget } = this.#parts
    if (!budget.take(topic.channels.size)) throw tooManyDeliveries(topic.channels.size)
    const frames = new Map<string, string | Uint8Array | undefined>()
    for (const channel of topic.channels) {
      if (channel === except) continue
      const { vsn } = channel.socket.pass
      if (!frames.has(vsn)) frames.set(vsn, broadcastFrame(vsn, topic.topic, event, payload, meta))
      const frame = frames.get(vsn)
      if (frame !== undefined) members.send(channel.socket, frame)
    }
  }

  async #presence(channel: Channel, frame: Message): Promise<void> {
    const { members, storage } = this.#parts
    const { socket, record } = channel
    const asked = parsePresence(frame.payload)
    this.#countMessage(socket)
    if (record.isPrivate && !(await this.#mayWrite(channel, 'presence')))
      throw unauthorizedWrite(record.topic)
    const topic = members.topicOf(channel)
    if (asked.event === 'untrack') {
      storage.removePresence(socket.id, record.topic)
      this.#tellPresence(topic, topic.presence.leave(socket.id))
    } else {
      const { diff, record: kept } = topic.presence.track(socket.id, record.presence.key, asked.payload)
      storage.putPresence(socket.id, record.topic, kept)
      this.#tellPresence(topic, diff)
    }
    this.#reply(socket, frame, okReplyPayload())
  }

  #tellPresence({ channels }: Topic, diff: PresenceDiff | undefined): void {
    if (diff === undefined) return
    const json = JSON.stringify(diff)
    for (const channel of channels)
      if (channel.record.presence.isEnabled) this.#parts.members.push(channel, 'presence_diff', json)
  }

  /** Asked at the first message, and then believed for some minutes. */
  async #mayWrite(channel: Channel, extension: 'broadcast' | 'presence'): Promise<boolean> {
    const nowMs = this.#parts.nowMs()
    if (channel.rights === undefined || channel.rights.endsAtMs <= nowMs) {
      const { role } = channel.socket.pass
      const caller = { role, claims: claimsJson(role, channel.record.claims) }
      const { broadcast, presence } = await askTopic(this.#parts, caller, bareTopic(channel.record.topic))
      channel.rights = { broadcast: broadcast.write, presence: presence.write, endsAtMs: nowMs + RIGHTS_MS }
    }
    return channel.rights[extension]
  }

  #countMessage({ pass }: HubSocket): void {
    const { rates, config } = this.#parts
    if (rates.take(pass.caller)) return
    const max = config.realtimeMessagesPerSecond
    throw new DomainError('rate_limited', `The key has sent ${max} messages within a second.`, {
      hint: 'Send fewer and larger messages, or raise REALTIME_MESSAGES_PER_SECOND.',
    })
  }

  #forgetReceipt({ socket, record }: Channel): void {
    const client = clientOf(socket.pass)
    if (client !== null) this.#parts.storage.removeReceipt(client, record.topic)
  }

  #reply(socket: HubSocket, { joinRef, ref, topic }: Pushed, payloadJson: string): void {
    const head = { joinRef, ref, topic, event: 'phx_reply' }
    this.#parts.members.send(socket, messageFrame(socket.pass.vsn, head, payloadJson))
  }

  #system(channel: Channel, extension: string, status: 'ok' | 'error', message: string): void {
    const { topic } = channel.record
    this.#parts.members.push(channel, 'system', systemPayload({ topic, extension, status, message }))
  }
}

function unauthorizedWrite(topic: string): DomainError {
  return new DomainError(
    'unauthorized_topic',
    `You do not have permissions to write to this Channel topic: ${bareTopic(topic)}`,
    { hint: 'A policy FOR INSERT on realtime.messages allows it, by realtime.topic() (docs/realtime.md).' },
  )
}

function tooManyDeliveries(members: number): DomainError {
  return new DomainError(
    'rate_limited',
    `The project has sent as many frames within this second as it may.`,
    {
      detail: `The message goes to ${members} sockets.`,
      hint: 'Send less often, or raise REALTIME_DELIVERIES_PER_SECOND.',
    },
  )
}

/** What is ours is said to the client alone; all else is a fault of ours. */
function logUnknown(err: unknown): void {
  if (err instanceof DomainError) return
  console.error(JSON.stringify({ level: 'error', component: 'realtime', message: String(err) }))
}
