// A join, from the client's message to a live channel: who joins, what of it is allowed, what is watched for it.

import { PostgresError } from '../../src/db/postgres-error.ts'
import { DomainError } from '../../src/errors.ts'
import { groupKey } from '../../src/features/realtime/changes/class-key.ts'
import { readSubscriptions } from '../../src/features/realtime/changes/read-subscriptions.ts'
import {
  type ChannelRecord,
  type HubSocket,
  roleOf,
  tokenEnd,
} from '../../src/features/realtime/hub/channel.ts'
import { MESSAGES_TABLE_ID } from '../../src/features/realtime/log/log-contract.ts'
import { watchTables } from '../../src/features/realtime/watching/watch-tables.ts'
import type { MessageFrame } from '../../src/features/realtime/wire/frames.ts'
import { type JoinRequest, readJoin } from '../../src/features/realtime/wire/join-request.ts'
import { MessageError } from '../../src/features/realtime/wire/message-error.ts'
import { sha256Hex } from '../../src/lib/hash.ts'
import type { HubParts } from './hub-parts.ts'
import { refuseBeyondBounds } from './refuse-beyond-bounds.ts'
import { mayRead } from './topic-rights.ts'

export interface Joined {
  readonly record: ChannelRecord
  readonly request: JoinRequest
  /**
   * From where in the log the channel has to be brought up first. Null: nowhere, it is new. Unknown: it may have been
   * here before, and nobody knows up to where.
   */
  readonly resumesAfter: number | 'unknown' | null
}

/** Throws `DomainError`, `PostgresError` and `MessageError`: the reply says why. */
export async function joinChannel(
  parts: HubParts,
  socket: HubSocket,
  message: MessageFrame,
): Promise<Joined> {
  const request = readJoin(message.topic, message.payload)
  refuseTooMany(parts, socket, message.topic)
  await countJoin(parts, socket)
  const claims = await claimsOf(parts, socket, request.accessToken)
  const seesPresence = !request.isPrivate || (await mayRead(parts, socket, claims, message.topic))
  const caller = { role: roleOf(parts.config, socket.pass, claims), claims, share: parts.share }
  const subscriptions = await readSubscriptions(parts, caller, request.postgres_changes)
  const tableIds = [...new Set(subscriptions.map(({ tableId }) => tableId))]
  refuseBeyondBounds(parts, socket, { claims, subscriptions })
  if (tableIds.length > 0) await watchTables(parts, tableIds)
  socket.joining = [MESSAGES_TABLE_ID, ...tableIds]
  const head = await parts.feed.follow(socket.joining)
  const follows = await followsOf(parts.config, socket, claims, subscriptions)
  const resumesAfter =
    tableIds.length === 0 ? null : resumePlace(parts, socket, message.topic, request, follows)
  const record = {
    topic: message.topic,
    joinRef: message.joinRef ?? message.ref,
    isPrivate: request.isPrivate,
    broadcast: { ack: request.broadcast.ack, self: request.broadcast.self },
    presence: {
      key: request.presence.key ?? crypto.randomUUID(),
      isEnabled: request.presence.enabled && seesPresence,
    },
    claims,
    tokenEndsAtMs: tokenEnd(claims),
    subscriptions,
    after: typeof resumesAfter === 'number' ? resumesAfter : head,
    isLive: typeof resumesAfter !== 'number',
    follows,
  }
  return { record, request, resumesAfter }
}

function refuseTooMany({ config }: HubParts, socket: HubSocket, topic: string): void {
  const max = config.realtimeChannelsPerSocket
  if (socket.channels.size < max || socket.channels.has(topic)) return
  throw new DomainError('rate_limited', `The socket has joined ${max} channels already.`, {
    hint: 'Leave channels that are not needed (supabase.removeChannel), or raise REALTIME_CHANNELS_PER_SOCKET.',
  })
}

/** A join costs what a request costs. */
async function countJoin({ limiters }: HubParts, { pass }: HubSocket): Promise<void> {
  if (pass.keyHash === null) return
  const admission = await limiters.byHash(pass.keyHash).admit(pass.address)
  switch (admission.outcome) {
    case 'admitted':
      return
    case 'rate_limited':
      throw new DomainError('rate_limited', 'The key has used up its requests for this minute.', {
        hint: `Join again in ${admission.retryAfterSeconds} s, or raise rate_limit_per_minute of the key.`,
      })
    case 'project_paused':
      throw new DomainError('project_paused', 'The project of this API key is paused.')
    case 'unavailable':
      throw new DomainError('admission_unavailable', 'The API key could not be checked just now.')
    default:
      throw new DomainError('invalid_api_key', 'The API key is not valid any more.')
  }
}

/** The person whose token came: with the join, else with the socket. */
export async function claimsOf(
  { verifyAccessToken, nowMs }: Pick<HubParts, 'verifyAccessToken' | 'nowMs'>,
  { pass }: HubSocket,
  accessToken: string | undefined,
): Promise<ChannelRecord['claims']> {
  if (accessToken === undefined) {
    const { claims } = pass
    if ((tokenEnd(claims) ?? Number.POSITIVE_INFINITY) > nowMs()) return claims
    throw new DomainError('invalid_access_token', 'The access token that came with the socket has ended.', {
      hint: 'Send a new one with the join.',
    })
  }
  return (await verifyAccessToken(accessToken)).claims
}

/** Where the client left off: said by itself, or proven by its heartbeats. */
function resumePlace(
  { storage, nowMs }: HubParts,
  { pass }: HubSocket,
  topic: string,
  request: JoinRequest,
  follows: string,
): Joined['resumesAfter'] {
  const said = request.postgres_changes.map(({ after }) => after).filter(after => after !== undefined)
  if (said.length > 0) return Math.min(...said)
  const client = clientOf(pass)
  return client === null ? null : (storage.receipt(client, topic, follows, nowMs()) ?? 'unknown')
}

/** Who follows what: as another person, or of another table, a client is new. */
export async function followsOf(
  config: HubParts['config'],
  { pass }: HubSocket,
  claims: ChannelRecord['claims'],
  subscriptions: ChannelRecord['subscriptions'],
): Promise<string> {
  const role = roleOf(config, pass, claims)
  return pass.client === null ? '' : await sha256Hex(groupKey(role, claims, [], subscriptions))
}

/** Two callers that use one name are not one client. */
export function clientOf({ caller, client }: HubSocket['pass']): string | null {
  return client === null ? null : `${caller} ${client}`
}

/** As Supabase's server says refusals: `Code: message`. */
export function reasonOf(err: unknown): string {
  if (err instanceof MessageError) return err.message
  const said = err instanceof DomainError || err instanceof PostgresError ? err : undefined
  if (said === undefined) return 'InternalError: something failed inside Quoin; try again in a moment'
  const code = said instanceof DomainError ? pascalCase(said.code) : said.code
  return [`${code}: ${said.message}`, said.hint].filter(Boolean).join(' ')
}

function pascalCase(code: string): string {
  return code.replace(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase())
}
