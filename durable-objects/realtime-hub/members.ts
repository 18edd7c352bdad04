// Who is here: the sockets of a project, the channels that they have joined, and who is in which topic. Kept in memory
// and in the storage beside each other, so that it is there again after the object's sleep.

import { networkOf } from '../../src/features/api-keys/limit/network.ts'
import {
  type Channel,
  type ChannelRecord,
  type HubSocket,
  topicKey,
} from '../../src/features/realtime/hub/channel.ts'
import type { SocketPass } from '../../src/features/realtime/hub/hub-contract.ts'
import {
  fromRecords,
  type PresenceRecord,
  type TopicPresence,
} from '../../src/features/realtime/topics/presence.ts'
import { pushMessage, systemMessage } from '../../src/features/realtime/wire/server-messages.ts'
import type { HubStorage } from './hub-storage.ts'

/** So much may be on the way to a socket that has not proven to read. */
const UNREAD_BYTES_MAX = 16 * 1024 * 1024

/** Codes of RFC 6455 and of the registry behind it. */
export const CLOSE = { going: 1001, policy: 1008, tooLarge: 1009, tryAgain: 1013 } as const

export interface Topic {
  readonly topic: string
  readonly isPrivate: boolean
  readonly channels: Set<Channel>
  presence: TopicPresence
}

export class Members {
  readonly #storage: HubStorage
  readonly #sockets = new Map<string, HubSocket>()
  readonly #topics = new Map<string, Topic>()
  /** Frames that were sent since the object woke up. */
  deliveries = 0

  constructor(storage: HubStorage, webSockets: readonly WebSocket[]) {
    this.#storage = storage
    const open = new Map(webSockets.map(ws => [attachmentOf(ws).id, ws]))
    // With those of dead sockets, until `Channels.recover` has told that they left.
    const presences = Map.groupBy(storage.presences<PresenceRecord>(), topicKey)
    // Sockets that died with the object's process left their rows behind.
    storage.keepSockets(open.keys())
    for (const { id, pass } of storage.sockets()) {
      const ws = open.get(id)
      if (ws) this.#sockets.set(id, newSocket(id, ws, pass, attachmentOf(ws).heardAtMs))
    }
    for (const { socketId, record } of storage.channels()) {
      const socket = this.#sockets.get(socketId)
      if (socket) this.#keep(newChannel(socket, record))
    }
    for (const [key, topic] of this.#topics)
      topic.presence = fromRecords(presences.get(key)?.map(({ record }) => record))
  }

  get sockets(): Iterable<HubSocket> {
    return this.#sockets.values()
  }

  get socketCount(): number {
    return this.#sockets.size
  }

  get topics(): Iterable<Topic> {
    return this.#topics.values()
  }

  *channels(): Generator<Channel> {
    for (const { channels } of this.#sockets.values()) yield* channels.values()
  }

  /** Characters that the channels of a client address take, and those of all. */
  sizeOf(address: string): { ofAddress: number; all: number } {
    let [ofAddress, all] = [0, 0]
    for (const { socket, size } of this.channels()) {
      all += size
      if (networkOf(socket.pass.address) === networkOf(address)) ofAddress += size
    }
    return { ofAddress, all }
  }

  /** Sockets of the same caller, and of the same client address, that are open. */
  countLike({ caller, address }: SocketPass): { ofCaller: number; ofAddress: number } {
    let [ofCaller, ofAddress] = [0, 0]
    for (const { pass } of this.#sockets.values()) {
      if (pass.caller === caller) ofCaller += 1
      if (networkOf(pass.address) === networkOf(address)) ofAddress += 1
    }
    return { ofCaller, ofAddress }
  }

  add(ws: WebSocket, pass: SocketPass, nowMs: number): void {
    const id = crypto.randomUUID()
    attach(ws, { id, heardAtMs: nowMs })
    this.#storage.addSocket(id, pass)
    this.#sockets.set(id, newSocket(id, ws, pass, nowMs))
  }

  find(ws: WebSocket): HubSocket | undefined {
    return this.#sockets.get(attachmentOf(ws).id)
  }

  /** The client lives and reads. */
  hear(socket: HubSocket, nowMs: number): void {
    socket.sentBytes = 0
    socket.heardAtMs = nowMs
    attach(socket.ws, { id: socket.id, heardAtMs: nowMs })
  }

  findTopic(topic: string, isPrivate: boolean): Topic | undefined {
    return this.#topics.get(topicKey({ topic, isPrivate }))
  }

  topicOf({ record }: Channel): Topic {
    const key = topicKey(record)
    const known = this.#topics.get(key)
    if (known) return known
    const { topic, isPrivate } = record
    const made = { topic, isPrivate, channels: new Set<Channel>(), presence: fromRecords() }
    this.#topics.set(key, made)
    return made
  }

  join(socket: HubSocket, record: ChannelRecord): Channel {
    const channel = newChannel(socket, record)
    this.#storage.putChannel(socket.id, record)
    this.#keep(channel)
    return channel
  }

  /** Whether nobody has left it meanwhile. */
  isIn(channel: Channel): boolean {
    const { socket, record } = channel
    return socket.isOpen && socket.channels.get(record.topic) === channel
  }

  change(channel: Channel, changes: Partial<ChannelRecord>): void {
    if (!this.isIn(channel)) return
    channel.record = { ...channel.record, ...changes }
    this.#storage.putChannel(channel.socket.id, channel.record)
  }

  /** Whoever stays in the topic is to be told of the leave, by `Channels`. */
  leave(channel: Channel): void {
    const { socket, record } = channel
    socket.channels.delete(record.topic)
    this.#storage.removeChannel(socket.id, record.topic)
    const topic = this.topicOf(channel)
    topic.channels.delete(channel)
    if (topic.channels.size === 0) this.#topics.delete(topicKey(record))
  }

  /** Its channels must have been left before. */
  remove(socket: HubSocket): void {
    socket.isOpen = false
    this.#sockets.delete(socket.id)
    this.#storage.removeSocket(socket.id)
  }

  /** False: the socket is gone, or was cut off because it does not read. */
  send(socket: HubSocket, frame: string | Uint8Array): boolean {
    if (!socket.isOpen) return false
    socket.sentBytes += frame.length
    if (socket.sentBytes > UNREAD_BYTES_MAX) {
      this.#cutOff(socket)
      return false
    }
    this.deliveries += 1
    return sendTo(socket, frame)
  }

  /** A push of the channel; the payload is JSON text. */
  push(channel: Channel, event: string, payloadJson: string): boolean {
    const { socket, record } = channel
    const { joinRef, topic } = record
    if (socket.channels.get(topic) !== channel) return false
    return this.send(socket, pushMessage(socket.pass.vsn, { joinRef, topic }, event, payloadJson))
  }

  #cutOff(socket: HubSocket): void {
    const message = 'slow_consumer: the client reads more slowly than it is sent to; connect again and resume'
    const [channel] = socket.channels.values()
    if (channel) {
      const news = { extension: 'system', status: 'error', message } as const
      sendTo(socket, systemMessage(socket.pass.vsn, channel.record, news))
    }
    this.close(socket, CLOSE.tryAgain, 'slow_consumer')
  }

  /** The close's own event removes it. */
  close(socket: HubSocket, code: number, reason: string): void {
    socket.isOpen = false
    try {
      socket.ws.close(code, reason)
    } catch {
      // It is closed already.
    }
  }

  #keep(channel: Channel): void {
    channel.socket.channels.set(channel.record.topic, channel)
    this.topicOf(channel).channels.add(channel)
  }
}

/** What the runtime keeps of a socket while the object sleeps. */
interface Attachment {
  readonly id: string
  readonly heardAtMs: number
}

const attachmentOf = (ws: WebSocket) => ws.deserializeAttachment() as Attachment
const attach = (ws: WebSocket, attachment: Attachment) => ws.serializeAttachment(attachment)

function sendTo({ ws }: HubSocket, frame: string | Uint8Array): boolean {
  try {
    ws.send(frame)
    return true
  } catch {
    // It has just closed; its own event tells.
    return false
  }
}

function newSocket(id: string, ws: WebSocket, pass: SocketPass, nowMs: number): HubSocket {
  return {
    id,
    ws,
    pass,
    channels: new Map(),
    heardAtMs: nowMs,
    sentBytes: 0,
    isOpen: true,
    joining: [],
    work: Promise.resolve(),
    waiting: 0,
  }
}

function newChannel(socket: HubSocket, record: ChannelRecord): Channel {
  const size = JSON.stringify(record).length
  return { socket, record, size, offered: undefined, replayed: new Set(), rights: undefined }
}
