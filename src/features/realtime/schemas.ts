// What realtime takes over HTTP. What it says of itself is in `realtime-state.ts`.

import * as z from 'zod'
import { encodeUtf8 } from '../../lib/utf8.ts'
import { TOPIC_BYTES_MAX, TOPIC_PREFIX } from './wire/topic.ts'

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

/** What a newer client asks for and does not get must be refused: it would count on it. */
export const PrivateQuery = z
  .looseObject({
    private: z
      .enum(['true', 'false'], 'must be true or false')
      .default('false')
      .describe('true: to the private channel, by its policies'),
  })
  .refine(query => !Object.keys(query).some(key => /^persist\b/.test(key) && query[key] !== 'false'), {
    path: ['persist'],
    message: 'messages over HTTP are not stored; those of realtime.send() in SQL are',
  })

export const TicketIn = z
  .strictObject({ project_id: z.uuid().describe('whose sockets it is for') })
  .meta({ id: 'RealtimeTicketIn' })
export type TicketIn = z.infer<typeof TicketIn>

export const Ticket = z
  .object({
    ticket: z.string().describe('opens one socket: `apikey` of /api/realtime/websocket'),
    expires_at: z.iso.datetime(),
  })
  .meta({
    id: 'RealtimeTicket',
    examples: [
      {
        ticket: '5d0c9a35-2b0e-4f7d-9c43-9e4f9a1c6b70',
        expires_at: '2026-01-31T12:00:30.000Z',
      },
    ],
  })
export type Ticket = z.infer<typeof Ticket>
