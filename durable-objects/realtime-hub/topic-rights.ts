// What policies on realtime.messages let a caller do in a private topic, as they say it now or said a moment ago.

import {
  type Channel,
  type ChannelRecord,
  type HubSocket,
  roleOf,
} from '../../src/features/realtime/hub/channel.ts'
import { askTopic, unauthorizedTopic } from '../../src/features/realtime/sight/ask-topic.ts'
import { bareTopic } from '../../src/features/realtime/wire/topic.ts'
import type { HubParts } from './hub-parts.ts'

/** So long it is believed what policies said of sending. */
const RIGHTS_MS = 5 * 60_000

/**
 * Whether the caller may see who is present in the topic. Throws `unauthorized_topic` where no policy lets it read
 * broadcasts, and what a policy raises.
 */
export async function mayRead(
  parts: HubParts,
  { pass }: HubSocket,
  claims: ChannelRecord['claims'],
  topic: string,
): Promise<boolean> {
  const caller = { role: roleOf(parts.config, pass, claims), claims, share: parts.share }
  const { broadcast, presence } = await askTopic(parts, caller, bareTopic(topic))
  if (!broadcast.read) throw unauthorizedTopic('read from', bareTopic(topic))
  return presence.read
}

/** Throws `unauthorized_topic` where the channel's caller may not send that to its topic, and what a policy raises. */
export async function refuseUnwritable(
  parts: HubParts,
  channel: Channel,
  extension: 'broadcast' | 'presence',
): Promise<void> {
  const { claims, topic, isPrivate } = channel.record
  if (!isPrivate) return
  const nowMs = parts.nowMs()
  let { rights } = channel
  if (rights === undefined || rights.endsAtMs <= nowMs) {
    const role = roleOf(parts.config, channel.socket.pass, claims)
    const caller = { role, claims, share: parts.share }
    const { broadcast, presence } = await askTopic(parts, caller, bareTopic(topic))
    rights = { broadcast: broadcast.write, presence: presence.write, endsAtMs: nowMs + RIGHTS_MS }
    // A token that came meanwhile has rights of its own.
    if (channel.record.claims === claims) channel.rights = rights
  }
  if (!rights[extension]) throw unauthorizedTopic('write to', bareTopic(topic))
}
