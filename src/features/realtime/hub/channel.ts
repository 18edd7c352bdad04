// What a hub knows of a socket and of the channels that it has joined. Types, and what follows from them alone.

import type { DatabaseRole } from '../../../db/database.ts'
import { type CallerRoleConfig, callerRole } from '../../callers/caller-role.ts'
import type { Subscription } from '../changes/subscription.ts'
import type { Ref } from '../wire/frames.ts'
import type { SocketPass } from './hub-contract.ts'

/** A channel as it outlives the object's sleep: JSON all through. */
export interface ChannelRecord {
  /** As the client names it, with `realtime:`. */
  readonly topic: string
  readonly joinRef: Ref
  readonly isPrivate: boolean
  readonly broadcast: { readonly ack: boolean; readonly self: boolean }
  readonly presence: { readonly key: string; readonly isEnabled: boolean }
  /** Of the person whose token came last; empty: there is no person. */
  readonly claims: Readonly<Record<string, unknown>>
  /** When that token ends, in milliseconds since 1970. */
  readonly tokenEndsAtMs: number | null
  readonly subscriptions: readonly Subscription[]
  /** Changes up to this number of the log are not for this channel. */
  readonly after: number
  /** False while it is brought up to where the others are. */
  readonly isLive: boolean
  /** A hash of who follows what: a place counts for the same alone. Empty where the client has no name. */
  readonly follows: string
}

export interface Channel {
  readonly socket: HubSocket
  record: ChannelRecord
  /** Of the record as JSON, in characters. */
  readonly size: number
  /**
   * The place in the log up to which it had been told when the last heartbeat was answered: the next heartbeat proves
   * that all of it arrived. Undefined: nothing is known.
   */
  offered: number | undefined
  /** Ids of messages that it was told by a replay. */
  replayed: ReadonlySet<string>
  /** What policies said of sending here, and until when that is believed. */
  rights: { readonly broadcast: boolean; readonly presence: boolean; readonly endsAtMs: number } | undefined
}

export interface HubSocket {
  readonly id: string
  readonly ws: WebSocket
  readonly pass: SocketPass
  readonly channels: Map<string, Channel>
  /** When its last heartbeat came, in milliseconds since 1970. */
  heardAtMs: number
  /** Sent since the last heartbeat, which proves that it reads. */
  sentBytes: number
  isOpen: boolean
  /** Tables that the join which is under way will follow. */
  joining: readonly number[]
  /** Its messages are handled one after the other; so many wait. */
  work: Promise<void>
  waiting: number
}

/** Public and private channels of one name hear nothing of each other. */
export function topicKey({ topic, isPrivate }: Pick<ChannelRecord, 'topic' | 'isPrivate'>): string {
  return `${isPrivate ? 'private' : 'public'} ${topic}`
}

/** The role that a channel with these claims acts as: a token of a person may come and go while the socket is open. */
export function roleOf(
  config: CallerRoleConfig,
  { role }: Pick<SocketPass, 'role'>,
  claims: ChannelRecord['claims'],
): DatabaseRole {
  return callerRole(config, role, claims)
}

/** Milliseconds since 1970; null: the token has no end. */
export function tokenEnd(claims: ChannelRecord['claims']): number | null {
  const exp = claims['exp']
  return typeof exp === 'number' ? exp * 1_000 : null
}
