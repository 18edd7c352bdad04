// As small a server as clients take for a whole one: what the wire and presence are made of, without a log, policies or
// limits. Its sockets are the transport of @supabase/realtime-js.

import { fromRecords, type PresenceDiff } from '../../../src/features/realtime/topics/presence.ts'
import { readAccessToken } from '../../../src/features/realtime/wire/access-token.ts'
import {
  isHeartbeat,
  pushedBroadcastFrame,
  readBroadcast,
  readPresence,
} from '../../../src/features/realtime/wire/client-messages.ts'
import {
  type ClientFrame,
  type Ref,
  readFrame,
  type Vsn,
} from '../../../src/features/realtime/wire/frames.ts'
import { type JoinRequest, readJoin } from '../../../src/features/realtime/wire/join-request.ts'
import { MessageError } from '../../../src/features/realtime/wire/message-error.ts'
import * as say from '../../../src/features/realtime/wire/server-messages.ts'

interface Member {
  readonly socket: FakeSocket
  readonly joinRef: Ref
  readonly request: JoinRequest
}

export interface SmallHub {
  /** For `RealtimeClient`. */
  readonly transport: typeof WebSocket
  /** What came, oldest first. */
  readonly frames: ClientFrame[]
  readonly tokens: (string | undefined)[]
  /** Everyone of a topic is told something. */
  tell(topic: string, frame: (vsn: Vsn, channel: say.JoinedChannel) => string): void
}

/** The client's half is `WebSocket`; `fromServer` is the other one. */
class FakeSocket {
  readonly vsn: Vsn
  readyState = 0
  onopen: () => void = () => {}
  onmessage: (event: { data: string | ArrayBuffer }) => void = () => {}
  onclose: (event: object) => void = () => {}
  onerror: () => void = () => {}
  readonly #arrive: (socket: FakeSocket, data: string | ArrayBuffer) => void

  constructor(address: string, arrive: (socket: FakeSocket, data: string | ArrayBuffer) => void) {
    this.vsn = new URL(address).searchParams.get('vsn') === '2.0.0' ? '2.0.0' : '1.0.0'
    this.#arrive = arrive
    queueMicrotask(() => {
      this.readyState = 1
      this.onopen()
    })
  }

  send(data: string | ArrayBuffer): void {
    queueMicrotask(() => this.#arrive(this, data))
  }

  fromServer(frame: string | Uint8Array | undefined): void {
    if (frame === undefined) return
    const data = typeof frame === 'string' ? frame : new Uint8Array(frame).buffer
    queueMicrotask(() => this.onmessage({ data }))
  }

  close(): void {
    this.readyState = 3
    queueMicrotask(() => this.onclose({ code: 1000 }))
  }
}

export function smallHub(): SmallHub {
  const frames: ClientFrame[] = []
  const tokens: (string | undefined)[] = []
  const topics = new Map<
    string,
    { members: Map<FakeSocket, Member>; presence: ReturnType<typeof fromRecords> }
  >()
  const socketIds = new Map<FakeSocket, string>()
  let refs = 0

  function topicOf(name: string) {
    const topic = topics.get(name) ?? { members: new Map<FakeSocket, Member>(), presence: fromRecords() }
    topics.set(name, topic)
    return topic
  }

  function join(socket: FakeSocket, frame: ClientFrame): void {
    const request = readJoin(frame.topic, frame.kind === 'message' ? frame.payload : undefined)
    const { members, presence } = topicOf(frame.topic)
    members.set(socket, { socket, joinRef: frame.joinRef, request })
    const changes = request.postgres_changes.map(({ sent }, i) => ({ id: i + 1, sent }))
    socket.fromServer(say.joinReply(socket.vsn, frame, changes))
    if (request.presence.enabled) {
      socket.fromServer(say.presenceStateMessage(socket.vsn, frame, JSON.stringify(presence.state())))
    }
    if (changes.length > 0) socket.fromServer(say.systemMessage(socket.vsn, frame, say.SUBSCRIBED))
  }

  function spread(topic: string, diff: PresenceDiff | null): void {
    if (diff === null) return
    for (const { socket } of topicOf(topic).members.values()) {
      socket.fromServer(say.presenceDiffMessage(socket.vsn, topic, JSON.stringify(diff)))
    }
  }

  function push(member: Member, frame: ClientFrame): void {
    const { socket, request } = member
    const { members, presence } = topicOf(frame.topic)
    const id = socketIds.get(socket) ?? ''
    const broadcast = readBroadcast(frame)
    if (broadcast !== undefined) {
      for (const other of members.values()) {
        if (other.socket === socket && !request.broadcast.self) continue
        other.socket.fromServer(pushedBroadcastFrame(other.socket.vsn, frame.topic, broadcast))
      }
      if (request.broadcast.ack) socket.fromServer(say.okReply(socket.vsn, frame))
    } else if (frame.event === 'phx_leave') {
      members.delete(socket)
      spread(frame.topic, presence.leaveAll(id))
      socket.fromServer(say.okReply(socket.vsn, frame))
      socket.fromServer(say.closeMessage(socket.vsn, { topic: frame.topic, joinRef: member.joinRef }))
    } else if (frame.kind === 'message' && frame.event === 'access_token') {
      tokens.push(readAccessToken(frame.payload))
    } else if (frame.kind === 'message' && frame.event === 'presence') {
      const asked = readPresence(frame.payload)
      const key = request.presence.key ?? id
      socket.fromServer(say.okReply(socket.vsn, frame))
      spread(
        frame.topic,
        asked.event === 'track'
          ? presence.track(id, key, asked.payload, `r${++refs}`)
          : presence.untrack(id, key),
      )
    }
  }

  function arrive(socket: FakeSocket, data: string | ArrayBuffer): void {
    const frame = readFrame(socket.vsn, data)
    frames.push(frame)
    const member = topicOf(frame.topic).members.get(socket)
    try {
      if (isHeartbeat(frame)) socket.fromServer(say.okReply(socket.vsn, frame))
      else if (frame.event === 'phx_join') join(socket, frame)
      else if (member === undefined) socket.fromServer(say.errorReply(socket.vsn, frame, say.UNMATCHED_TOPIC))
      else push(member, frame)
    } catch (error) {
      if (!(error instanceof MessageError)) throw error
      socket.fromServer(say.errorReply(socket.vsn, frame, error.message))
    }
  }

  class Transport extends FakeSocket {
    constructor(address: string) {
      super(address, arrive)
      socketIds.set(this, `s${socketIds.size}`)
    }
  }

  return {
    transport: Transport as unknown as typeof WebSocket,
    frames,
    tokens,
    tell(topic, frame) {
      for (const { socket, joinRef } of topicOf(topic).members.values()) {
        socket.fromServer(frame(socket.vsn, { topic, joinRef }))
      }
    },
  }
}
