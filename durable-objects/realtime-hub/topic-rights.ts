// What policies on realtime.messages say of a caller and a topic, as they say it now or said a moment ago.

import { callerClaims } from '../../src/db/caller-session.ts'
import { DomainError } from '../../src/errors.ts'
import {
  bareTopic,
  type Channel,
  type ChannelRecord,
  type HubSocket,
} from '../../src/features/realtime/hub/channel.ts'
import { askTopic } from '../../src/features/realtime/sight/ask-topic.ts'
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
  const caller = { role: pass.role, claims: callerClaims(pass.role, claims ?? {}), share: parts.share }
  const { broadcast, presence } = await askTopic(parts, caller, bareTopic(topic))
  if (broadcast.read) return presence.read
  throw new DomainError(
    'unauthorized_topic',
    `You do not have permissions to read from this Channel topic: ${bareTopic(topic)}`,
    { hint: 'A policy FOR SELECT on realtime.messages allows it, by realtime.topic() (docs/realtime.md).' },
  )
}

/** What the channel's caller may send to its topic. Throws what a policy raises. */
export async function topicRights(
  parts: HubParts,
  channel: Channel,
): Promise<NonNullable<Channel['rights']>> {
  const nowMs = parts.nowMs()
  if (channel.rights && channel.rights.endsAtMs > nowMs) return channel.rights
  const { role } = channel.socket.pass
  const { claims, topic } = channel.record
  const caller = { role, claims: callerClaims(role, claims ?? {}), share: parts.share }
  const { broadcast, presence } = await askTopic(parts, caller, bareTopic(topic))
  const rights = { broadcast: broadcast.write, presence: presence.write, endsAtMs: nowMs + RIGHTS_MS }
  // A token that came meanwhile has rights of its own.
  if (channel.record.claims === claims) channel.rights = rights
  return rights
}
