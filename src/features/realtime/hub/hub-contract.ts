// What a `RealtimeHub` can be told and asked: one a project, which holds its sockets. Types only.

import type { KeyRole } from '../../../db/database.ts'
import type { LogPush } from '../log/log-contract.ts'
import type { BroadcastPayload } from '../wire/frames.ts'

/** Who opens a socket, as the Worker has checked it: URI-encoded JSON in `PASS_HEADER` of the upgrade. */
export interface SocketPass {
  /** That of the key alone: `roleOf` says which one a channel acts as. */
  readonly role: KeyRole
  /** The key's id, or the session's with `session:` in front: what limits are counted by. */
  readonly caller: string
  /** SHA-256 of the key, by which its limiter is found; null: a session. */
  readonly keyHash: string | null
  /** The identity provider's session; null: a key. */
  readonly sessionId: string | null
  /** When the session ends by itself, in milliseconds since 1970; null: a key, or never. */
  readonly endsAtMs: number | null
  readonly address: string
  readonly vsn: '1.0.0' | '2.0.0'
  /** `client` of the address: what an unmodified client is known by when it comes back. */
  readonly client: string | null
  /** Of the access token that came with the upgrade, verified; empty without one. */
  readonly claims: Readonly<Record<string, unknown>>
  readonly requestId: string
}

export const PASS_HEADER = 'quoin-socket-pass'

/** A broadcast that came over HTTP, allowed already. */
export interface HubBroadcast {
  /** Without `realtime:`. */
  readonly topic: string
  readonly event: string
  readonly isPrivate: boolean
  readonly payload: BroadcastPayload
}

/** An error would lose its class on the way between objects. */
export type BroadcastOutcome = 'sent' | 'too_many_messages' | 'too_many_deliveries'

/** A session of the dashboard that is let in by a ticket. */
export interface TicketHolder {
  readonly sessionId: string
  readonly endsAtMs: number | null
}

export interface ChannelState {
  /** Without `realtime:`. */
  readonly topic: string
  readonly isPrivate: boolean
  /** Sockets that joined it. */
  readonly members: number
  /** Keys that are present in it. */
  readonly present: number
}

export interface HubState {
  readonly connections: number
  readonly channels: number
  /** The largest, a hundred at most. */
  readonly topics: readonly ChannelState[]
  readonly subscriptions: readonly {
    readonly tableId: number
    readonly subscribers: number
    readonly classes: number
  }[]
  /** Everything up to this number of the log was told. */
  readonly position: number
  /** Something behind it is being told. */
  readonly isTelling: boolean
  /** Since the object woke up. */
  readonly counts: {
    readonly changes: number
    readonly statements: number
    readonly deliveries: number
    readonly messages: number
    readonly refetches: number
  }
}

/** The object of one project, named by the project's id. */
export interface RealtimeHub {
  /** The upgrade of a WebSocket; its pass is in `PASS_HEADER`. */
  fetch(request: Request): Promise<Response>
  /** The log has something new. */
  changed(push: LogPush): Promise<void>
  /** Sends all of them to whoever joined their topics, or none. */
  broadcast(caller: string, messages: readonly HubBroadcast[]): Promise<BroadcastOutcome>
  /** Keys, the project or sessions may have ended: asks, and closes their sockets. */
  recheck(): Promise<void>
  /** A value for one connection within 30 s; undefined: too many are out. */
  issueTicket(holder: TicketHolder): Promise<string | undefined>
  /** Whose ticket it was; undefined: it is none, was used or is too old. */
  takeTicket(ticket: string): Promise<TicketHolder | undefined>
  state(): Promise<HubState>
}

export interface RealtimeHubs {
  byProject(projectId: string): RealtimeHub
}
