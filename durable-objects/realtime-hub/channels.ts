// How channels end, and what is sent to a topic. Whoever stays is told who has left, and no way to a client goes past a
// token that has ended.

import {
  type Channel,
  type ChannelRecord,
  type HubSocket,
  topicKey,
} from '../../src/features/realtime/hub/channel.ts'
import type { PresenceDiff } from '../../src/features/realtime/topics/presence.ts'
import { broadcastFrame, type Vsn } from '../../src/features/realtime/wire/frames.ts'
import { MessageError } from '../../src/features/realtime/wire/message-error.ts'
import {
  closeMessage,
  failMessage,
  presenceDiffMessage,
  type SystemNews,
  systemMessage,
} from '../../src/features/realtime/wire/server-messages.ts'
import { fullTopic } from '../../src/features/realtime/wire/topic.ts'
import type { HubParts } from './hub-parts.ts'
import type { Topic } from './members.ts'
import type { RowMessage } from './message-row.ts'

/** The frame of a broadcast for a client of that version; undefined: it cannot be said to it. */
type BroadcastFrame = (vsn: Vsn) => string | Uint8Array | undefined

export const failed = (message: string): SystemNews => ({ extension: 'system', status: 'error', message })

/** A replay takes two seconds at most. */
const HELD_MAX = 1_000

export class Channels {
  readonly #parts: Pick<HubParts, 'members' | 'groups' | 'nowMs'>
  /** Messages for channels that are about to be in a topic, by `topicKey`. */
  readonly #held = new Map<string, Set<RowMessage[]>>()

  constructor(parts: Pick<HubParts, 'members' | 'groups' | 'nowMs'>) {
    this.#parts = parts
  }

  /** Takes the channel out, says so to its client, and tells those who stay. */
  leave(channel: Channel): void {
    this.#takeOut(channel, closeMessage(channel.socket.pass.vsn, channel.record))
  }

  /** The channel has failed: its client joins again by itself. */
  fail(channel: Channel): void {
    this.#takeOut(channel, failMessage(channel.socket.pass.vsn, channel.record))
  }

  leaveAll(socket: HubSocket): void {
    for (const channel of [...socket.channels.values()]) this.leave(channel)
    this.#parts.members.remove(socket)
  }

  /** Those of these channels, or of all, whose token has ended are closed: its rights end with it. */
  endTokens(channels: Iterable<Channel> = this.#parts.members.channels()): void {
    const { members, nowMs } = this.#parts
    for (const channel of [...channels]) {
      const { tokenEndsAtMs } = channel.record
      // Telling one leave may have ended the next.
      if (tokenEndsAtMs === null || tokenEndsAtMs > nowMs() || !members.isIn(channel)) continue
      this.say(channel, failed('Token has expired: send a new access_token, or join again with one'))
      this.leave(channel)
    }
  }

  /** To all in the topic, or to those of them that `isFor` says. */
  deliver(topic: Topic, frameFor: BroadcastFrame, isFor: (channel: Channel) => boolean = () => true): void {
    const { members } = this.#parts
    this.endTokens(topic.channels)
    const frames = new Map<Vsn, ReturnType<BroadcastFrame>>()
    for (const channel of topic.channels) {
      if (!isFor(channel)) continue
      const { vsn } = channel.socket.pass
      if (!frames.has(vsn)) frames.set(vsn, frameFor(vsn))
      const frame = frames.get(vsn)
      if (frame !== undefined) members.send(channel.socket, frame)
    }
  }

  /** A message of the database, to all in its topic who were not told it by a replay. */
  tellMessage(message: RowMessage): void {
    const { id, event, payload, isPrivate } = message
    const name = fullTopic(message.topic)
    for (const held of this.#held.get(topicKey({ topic: name, isPrivate })) ?? [])
      if (held.length <= HELD_MAX) held.push(message)
    const topic = this.#parts.members.findTopic(name, isPrivate)
    if (topic === undefined) return
    const frameFor = (vsn: Vsn) => broadcastFrame(vsn, name, event, payload, { id })
    this.deliver(topic, frameFor, ({ replayed }) => !replayed.has(id))
  }

  /**
   * Runs `work` for a channel that is about to be in the topic, with the messages of the database that come meanwhile.
   * Throws `MessageError` where they are too many.
   */
  async holding(
    record: Pick<ChannelRecord, 'topic' | 'isPrivate'>,
    work: (takeHeld: () => readonly RowMessage[]) => Promise<void>,
  ): Promise<void> {
    const key = topicKey(record)
    const ofTopic = this.#held.get(key) ?? new Set()
    const held: RowMessage[] = []
    this.#held.set(key, ofTopic.add(held))
    try {
      await work(() => {
        if (held.length <= HELD_MAX) return held
        throw new MessageError('UnableToReplayMessages', 'too many messages were sent meanwhile; join again')
      })
    } finally {
      ofTopic.delete(held)
      if (ofTopic.size === 0) this.#held.delete(key)
    }
  }

  /** Null: nothing has changed. */
  tellPresence({ channels }: Topic, diff: PresenceDiff | null): void {
    if (diff === null) return
    const { members } = this.#parts
    this.endTokens(channels)
    const json = JSON.stringify(diff)
    for (const { socket, record } of channels)
      if (record.presence.isEnabled)
        members.send(socket, presenceDiffMessage(socket.pass.vsn, record.topic, json))
  }

  /** What did not outlive the object's memory: presence of sockets that died, and channels not yet brought up. */
  recover(): void {
    for (const channel of [...this.#parts.members.channels()]) if (!channel.record.isLive) this.fail(channel)
    for (const topic of [...this.#parts.members.topics]) {
      const open = new Set([...topic.channels].map(({ socket }) => socket.id))
      const present = new Set(topic.presence.records().map(({ socketId }) => socketId))
      for (const socketId of present)
        if (!open.has(socketId)) this.tellPresence(topic, topic.presence.leaveAll(socketId))
    }
  }

  say({ socket, record }: Channel, news: SystemNews): void {
    this.#parts.members.send(socket, systemMessage(socket.pass.vsn, record, news))
  }

  #takeOut(channel: Channel, lastFrame: string): void {
    const { members, groups } = this.#parts
    const { socket, record } = channel
    const topic = members.topicOf(channel)
    members.send(socket, lastFrame)
    members.leave(channel)
    this.tellPresence(topic, topic.presence.leaveAll(socket.id))
    if (record.subscriptions.length > 0) groups.forget()
  }
}
