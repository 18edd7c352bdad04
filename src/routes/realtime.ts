// Realtime: sockets, messages from those who have none, and how it does.

import * as z from 'zod'
import { scopeOf } from '../features/api-keys/record/project-scope.ts'
import { databaseCaller } from '../features/callers/database-caller.ts'
import { broadcastOverHttp } from '../features/realtime/broadcast-over-http.ts'
import type { HubBroadcast } from '../features/realtime/hub/hub-contract.ts'
import { issueTicket } from '../features/realtime/issue-ticket.ts'
import {
  openSocket,
  openSocketByTicket,
  SocketQuery,
  TicketSocketQuery,
} from '../features/realtime/open-socket.ts'
import { readMessage, readMessages } from '../features/realtime/read-messages.ts'
import { readRealtime } from '../features/realtime/read-realtime.ts'
import { RealtimeQuery, RealtimeState } from '../features/realtime/realtime-state.ts'
import {
  Broadcasts,
  Event,
  Payload,
  PrivateQuery,
  SupabaseBroadcasts,
  Ticket,
  TicketIn,
  Topic,
} from '../features/realtime/schemas.ts'
import { defineRoute, type HandlerInput, type RawAnswer } from '../http/route.ts'

type Sender = Pick<
  HandlerInput<Readonly<Record<string, 'any_key'>>, undefined, undefined>,
  'deps' | 'principal' | 'caller' | 'request' | 'path'
>

const OPEN = { answers: { 101: { description: 'The socket is open.' } } } as const
const SENT = { 202: { description: 'Sent to all who are in the channels' } } as const
const BATCH_BYTES_MAX = 4 * 1024 * 1024
const MESSAGE_BYTES_MAX = 3 * 1024 * 1024
const EXAMPLE = { messages: [{ topic: 'room:7', event: 'moved', payload: { x: 3, y: 4 } }] }

async function send(input: Sender, messages: readonly HubBroadcast[]): Promise<RawAnswer> {
  await broadcastOverHttp(input.deps, databaseCaller(input), input.principal.key, messages)
  return { status: 202, headers: {}, body: null }
}

export const realtimeRoutes = [
  defineRoute({
    id: 'realtime.connect',
    method: 'get',
    mounts: { '/realtime/v1/websocket': 'any_key', '/v1/realtime/ws': 'any_key' },
    summary: 'Open a WebSocket: row changes, broadcast, presence',
    description:
      'Speaks Phoenix in both its versions, as supabase-js does. The key comes as the parameter `apikey`, or as a ' +
      'header.',
    query: SocketQuery,
    takesKeyInQuery: true,
    documented: OPEN,
    handle: ({ deps, principal, query, request, caller }) =>
      openSocket(deps, { request, query, caller }, principal),
  }),
  defineRoute({
    id: 'realtime.connect_by_ticket',
    method: 'get',
    mounts: { '/api/realtime/websocket': 'visitor' },
    summary: 'Open a WebSocket by a ticket, as service_role',
    description:
      'For the dashboard. The ticket alone opens it, once: no cookie is read. It is closed when the session ends.',
    query: TicketSocketQuery,
    documented: OPEN,
    handle: ({ deps, query, request, caller }) => openSocketByTicket(deps, { request, query, caller }, query),
  }),
  defineRoute({
    id: 'realtime.broadcast',
    method: 'post',
    mounts: { '/v1/realtime/broadcast': 'any_key' },
    summary: 'Send messages to channels',
    description:
      'All of them, or none. Of private channels policies on `realtime.messages` decide. Counts against the ' +
      'messages in a second of the key.',
    unaudited: 'key_data',
    bodyBytesMax: BATCH_BYTES_MAX,
    body: Broadcasts,
    documented: { answers: SENT },
    example: EXAMPLE,
    handle: input => send(input, readMessages(input.bodyText, input.body.messages)),
  }),
  defineRoute({
    id: 'realtime.broadcast_supabase',
    method: 'post',
    mounts: { '/realtime/v1/api/broadcast': 'any_key' },
    summary: 'Send messages to channels, as clients of Supabase do',
    description: 'As `/v1/realtime/broadcast`; fields that nobody knows are left alone.',
    unaudited: 'key_data',
    bodyBytesMax: BATCH_BYTES_MAX,
    body: SupabaseBroadcasts,
    documented: { answers: SENT },
    example: EXAMPLE,
    handle: input => send(input, readMessages(input.bodyText, input.body.messages)),
  }),
  defineRoute({
    id: 'realtime.send',
    method: 'post',
    mounts: {
      '/v1/realtime/broadcast/:topic/events/:event': 'any_key',
      '/realtime/v1/api/broadcast/:topic/events/:event': 'any_key',
    },
    params: { topic: Topic, event: Event },
    summary: 'Send one message to a channel, JSON or bytes',
    description: 'Bytes reach sockets of version 2.0.0 alone; JSON reaches all.',
    query: PrivateQuery,
    unaudited: 'key_data',
    bodyBytesMax: MESSAGE_BYTES_MAX,
    documented: {
      request: {
        'application/json': Payload,
        'application/octet-stream': z.string().meta({ format: 'binary' }),
      },
      answers: SENT,
    },
    handle: async input => {
      const { params, query, readRawBytes, readBodyBytes } = input
      const contentType = input.request.headers.get('content-type')
      const isPrivate = query.private === 'true'
      return send(input, [await readMessage({ params, isPrivate, contentType, readRawBytes, readBodyBytes })])
    },
  }),
  defineRoute({
    id: 'realtime.read',
    method: 'get',
    mounts: { '/v1/realtime': 'service_role', '/api/realtime': 'admin' },
    summary: 'How realtime does: connections, channels, subscriptions, and what is kept',
    description: 'A part that does not answer within two seconds is null, and named in `problems`.',
    query: RealtimeQuery,
    response: RealtimeState,
    handle: ({ deps, principal, query }) => readRealtime(deps, scopeOf(principal), query.project_id),
  }),
  defineRoute({
    id: 'realtime.issue_ticket',
    method: 'post',
    mounts: { '/api/realtime/ticket': 'admin' },
    summary: 'Let a page of the dashboard open one socket',
    description: 'As service_role, once, within 30 seconds.',
    body: TicketIn,
    example: { project_id: '0d9c8b7a-6f5e-4d3c-8b2a-1f0e9d8c7b6a' },
    response: Ticket,
    status: 201,
    handle: ({ deps, caller, principal, body }) => issueTicket(deps, caller, principal.session, body),
  }),
]
