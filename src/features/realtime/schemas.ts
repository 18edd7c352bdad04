// What realtime takes and answers over HTTP.

import * as z from 'zod'
import { encodeUtf8 } from '../../lib/utf8.ts'
import { TOPIC_BYTES_MAX, TOPIC_PREFIX } from './wire/join-request.ts'

/** What a binary frame's length byte can say. */
const EVENT_BYTES_MAX = 255
/** More can never be sent within a second as the variables allow. */
const MESSAGES_MAX = 1_000

const bounded = (bytesMax: number) =>
  z
    .string()
    .min(1, 'must not be empty')
    .refine(
      text => text.isWellFormed() && encodeUtf8(text).length <= bytesMax,
      `must be text of at most ${bytesMax} bytes of UTF-8`,
    )

export const Topic = bounded(TOPIC_BYTES_MAX - TOPIC_PREFIX.length)
  .describe('name of the channel, without `realtime:`')
  .meta({ examples: ['room:7'] })
export const Event = bounded(EVENT_BYTES_MAX)
  .describe('what clients listen for')
  .meta({ examples: ['moved'] })

const MESSAGE = {
  topic: Topic,
  event: Event,
  payload: z.record(z.string(), z.unknown()).describe('passed on as it was written'),
  private: z.boolean().default(false).describe('to the private channel, by its policies'),
}
const messagesOf = <Message extends z.ZodType>(message: Message) =>
  z
    .array(message)
    .min(1, 'must have a message')
    .max(MESSAGES_MAX, `must have at most ${MESSAGES_MAX} messages`)

export const Broadcasts = z
  .strictObject({ messages: messagesOf(z.strictObject(MESSAGE)) })
  .meta({ id: 'Broadcasts' })
/** Clients of Supabase send more than they must. */
export const SupabaseBroadcasts = z
  .looseObject({ messages: messagesOf(z.looseObject(MESSAGE)) })
  .meta({ id: 'SupabaseBroadcasts' })

/** Of one message: any JSON. */
export const Payload = z.unknown().meta({ id: 'BroadcastPayload', examples: [{ x: 3, y: 4 }] })

export const PrivateQuery = z.object({
  private: z
    .enum(['true', 'false'], 'must be true or false')
    .default('false')
    .describe('true: to the private channel, by its policies'),
})

export const TicketIn = z
  .strictObject({ project_id: z.uuid().describe('whose sockets it is for') })
  .meta({ id: 'RealtimeTicketIn' })
export type TicketIn = z.infer<typeof TicketIn>

export const Ticket = z
  .object({
    ticket: z.string().describe('opens one socket'),
    expires_at: z.iso.datetime(),
    url: z.string().describe('where it opens it'),
  })
  .meta({
    id: 'RealtimeTicket',
    examples: [
      {
        ticket: '5d0c9a35-2b0e-4f7d-9c43-9e4f9a1c6b70',
        expires_at: '2026-01-31T12:00:30.000Z',
        url: 'wss://api.example.com/realtime/v1/websocket?ticket=5d0c9a35-2b0e-4f7d-9c43-9e4f9a1c6b70',
      },
    ],
  })
export type Ticket = z.infer<typeof Ticket>

const count = z.int()
const LogState = z.object({
  head: count.describe('number of the newest change'),
  oldest_after: count.describe('the oldest number that a join can name as `after`'),
  oldest_occurred_at: z.string().nullable().describe('when the oldest kept change was made'),
  entries: count,
  bytes: count,
  changes_per_second: z.array(count).describe('of the last 60 seconds, oldest first'),
})
const Channel = z.object({ topic: z.string(), private: z.boolean(), members: count, present: count })
const Subscriptions = z.object({
  table_schema: z.string().nullable().describe('null: the table is gone, or could not be asked for'),
  table_name: z.string().nullable(),
  subscribers: count,
  classes: count.describe('callers with the same role and claims are one'),
})

export const RealtimeQuery = z.object({
  project_id: z.uuid().optional().describe('for a session: whose sockets; the oldest project unless said'),
})

export const RealtimeState = z
  .object({
    status: z
      .enum(['ok', 'behind', 'unavailable'])
      .describe('behind: changes wait for the hub; unavailable: a part does not answer'),
    problems: z.array(z.string()).describe('what is wrong, and what to do'),
    project_id: z.uuid(),
    log: LogState.nullable().describe('of all projects; null: it did not answer in time'),
    connections: count
      .nullable()
      .describe('this and all below but the limits are null where the hub is silent'),
    channels: count.nullable(),
    topics: z.array(Channel).nullable().describe('the largest, a hundred at most'),
    subscriptions: z.array(Subscriptions).nullable(),
    position: count.nullable().describe('everything up to this number was told'),
    counts: z
      .object({
        changes: count,
        statements: count.describe('questions to Postgres about who sees what'),
        deliveries: count,
        messages: count,
        refetches: count,
      })
      .nullable()
      .describe('since the object of the project woke up'),
    limits: z.record(z.string(), count),
  })
  .meta({
    id: 'RealtimeState',
    examples: [
      {
        status: 'ok',
        problems: [],
        project_id: '0d9c8b7a-6f5e-4d3c-8b2a-1f0e9d8c7b6a',
        log: {
          head: 10_412,
          oldest_after: 412,
          oldest_occurred_at: '2026-01-31T11:02:00.000Z',
          entries: 10_000,
          bytes: 4_193_280,
          changes_per_second: [0, 3, 1],
        },
        connections: 12,
        channels: 15,
        topics: [{ topic: 'room:7', private: true, members: 4, present: 3 }],
        subscriptions: [{ table_schema: 'public', table_name: 'notes', subscribers: 11, classes: 9 }],
        position: 10_412,
        counts: { changes: 9_120, statements: 2_044, deliveries: 31_008, messages: 512, refetches: 0 },
        limits: { sockets_per_key: 200, channels_per_socket: 100 },
      },
    ],
  })
export type RealtimeState = z.infer<typeof RealtimeState>
