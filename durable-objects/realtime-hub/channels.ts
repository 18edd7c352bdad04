// How channels end, and what is sent to a topic. Whoever stays is told who has left, and no way to a client goes past a
// token that has ended.

import type { Channel, HubSocket } from '../../src/features/realtime/hub/channel.ts'
import type { PresenceDiff } from '../../src/features/realtime/topics/presence.ts'
import type { Vsn } from '../../src/features/realtime/wire/frames.ts'
import {
  closeMessage,
  failMessage,
  presenceDiffMessage,
  type SystemNews,
  systemMessage,
} from '../../src/features/realtime/wire/server-messages.ts'
import type { HubParts } from './hub-parts.ts'
import type { Topic } from './members.ts'

/** The frame of a broadcast for a client of that version; undefined: it cannot be said to it. */
type BroadcastFrame = (vsn: Vsn) => string | Uint8Array | undefined

export const failed = (message: string): SystemNews => ({ extension: 'system', status: 'error', message })

export class Channels {
  readonly #parts: Pick<HubParts, 'members' | 'groups' | 'nowMs'>

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

  /** To all in the topic but `except`. */
  deliver(topic: Topic, frameFor: BroadcastFrame, except?: Channel): void {
    const { members } = this.#parts
    this.endTokens(topic.channels)
    const frames = new Map<Vsn, ReturnType<BroadcastFrame>>()
    for (const channel of topic.channels) {
      if (channel === except) continue
      const { vsn } = channel.socket.pass
      if (!frames.has(vsn)) frames.set(vsn, frameFor(vsn))
      const frame = frames.get(vsn)
      if (frame !== undefined) members.send(channel.socket, frame)
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

  /** Who was present on sockets that died while the object slept has left. */
  tellDead(): void {
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
