// What the server says, as frames ready to send. Texts are those of supabase/realtime, as clients compare some of them.

import { type FrameHead, messageFrame, type Ref, type Vsn } from './frames.ts'
import type { ChangesSent } from './join-request.ts'
import { bareTopic } from './topic.ts'

/** A channel as one client joined it. */
export interface JoinedChannel {
  /** With `realtime:` in front. */
  readonly topic: string
  /** The ref of its join: what is said under an older one is dropped by the client. */
  readonly joinRef: Ref
}

/** What a `system` message is about. */
export interface SystemNews {
  readonly extension: 'postgres_changes' | 'system'
  readonly status: 'ok' | 'error'
  readonly message: string
  /** Ours: more about it, in a sentence. */
  readonly reason?: string
  /** Ours: the place in the log behind which rows come. */
  readonly after?: number
}

/** Rows arrive from now on. */
export const SUBSCRIBED: SystemNews = {
  extension: 'postgres_changes',
  status: 'ok',
  message: 'Subscribed to PostgreSQL',
}

/** Broadcasts from the database arrive from now on; for clients that asked by `replication_ready`. */
export const REPLICATION_READY: SystemNews = {
  extension: 'system',
  status: 'ok',
  message: 'Replication connection established',
}

/** The reason of whatever is pushed to a topic that the socket has not joined. */
export const UNMATCHED_TOPIC = 'unmatched topic'

const NOTHING = '{}'

/** That it is done: to a heartbeat, a leave, a push that wants an answer. `responseJson` is JSON text. */
export function okReply(vsn: Vsn, to: FrameHead, responseJson = NOTHING): string {
  return reply(vsn, to, 'ok', responseJson)
}

/** That it is not done, and why: `Code: what, where, what to do`. */
export function errorReply(vsn: Vsn, to: FrameHead, reason: string): string {
  return reply(vsn, to, 'error', `{"reason":${JSON.stringify(reason)}}`)
}

/** The answer to a join. `changes` in the order of the request: clients compare them with their own, by index. */
export function joinReply(
  vsn: Vsn,
  to: FrameHead,
  changes: readonly { readonly id: number; readonly sent: ChangesSent }[],
): string {
  const echo = changes.map(({ id, sent }) => ({ id, ...sent }))
  return okReply(vsn, to, `{"postgres_changes":${JSON.stringify(echo)}}`)
}

/** The channel is over. After a leave, behind its reply; after a `system` error, behind that. */
export function closeMessage(vsn: Vsn, channel: JoinedChannel): string {
  return endMessage(vsn, channel, 'phx_close')
}

/** The channel has failed: the client joins again. */
export function failMessage(vsn: Vsn, channel: JoinedChannel): string {
  return endMessage(vsn, channel, 'phx_error')
}

export function systemMessage(vsn: Vsn, channel: JoinedChannel, news: SystemNews): string {
  const payload = { ...news, channel: bareTopic(channel.topic) }
  return pushMessage(vsn, channel, 'system', JSON.stringify(payload))
}

/** Everyone who is present, as JSON text: to a client that has just joined. */
export function presenceStateMessage(vsn: Vsn, channel: JoinedChannel, stateJson: string): string {
  return pushMessage(vsn, channel, 'presence_state', stateJson)
}

/** The same frame for every client of the topic. */
export function presenceDiffMessage(vsn: Vsn, topic: string, diffJson: string): string {
  return pushMessage(vsn, { topic, joinRef: null }, 'presence_diff', diffJson)
}

/** Anything else that the server tells a channel by itself. */
export function pushMessage(vsn: Vsn, channel: JoinedChannel, event: string, payloadJson: string): string {
  return messageFrame(vsn, { ...channel, ref: null, event }, payloadJson)
}

function reply(vsn: Vsn, to: FrameHead, status: 'ok' | 'error', responseJson: string): string {
  const head = { joinRef: to.joinRef, ref: to.ref, topic: to.topic, event: 'phx_reply' }
  return messageFrame(vsn, head, `{"status":"${status}","response":${responseJson}}`)
}

/** Its ref is the join's: clients of 1.0.0, which see no `join_ref`, tell by it whether it is about an older join. */
function endMessage(vsn: Vsn, { topic, joinRef }: JoinedChannel, event: string): string {
  return messageFrame(vsn, { joinRef, ref: joinRef, topic, event }, NOTHING)
}
