// The webhook record as callers see it, and what they may send. The secret itself is in no record.

import * as z from 'zod'
import { encodeUtf8 } from '../../lib/utf8.ts'
import { WholeNumber } from '../../lib/whole-number.ts'
import { RowEvent } from '../row-changes/ingest/messages.ts'
import { headersProblem } from './delivery/delivery-headers.ts'
import { secretProblem } from './delivery/signatures.ts'
import { WEBHOOK_STATES } from './delivery/webhook-row.ts'

export const Time = z.iso.datetime({ offset: true })

const NAME_LENGTH_MAX = 100
const SECRET_LENGTH_MAX = 256
/** What a name in Postgres holds; a longer one would be cut off and name another table. */
const TABLE_NAME_BYTES_MAX = 63
const WEBHOOKS_PER_PAGE_MAX = 1_000

/** In a path. */
export const WebhookId = z
  .uuid()
  .describe('id of the webhook')
  .meta({ examples: ['3f0c8a52-6f0e-4f43-9d6a-0b8f3f1c2a11'] })

/** Of all records of webhooks. */
export const WEBHOOK_EXAMPLE = {
  id: '3f0c8a52-6f0e-4f43-9d6a-0b8f3f1c2a11',
  name: 'Search index',
  table_schema: 'public',
  table_name: 'notes',
  table_watched: true,
  events: ['INSERT', 'UPDATE', 'DELETE'],
  url: 'https://search.example.com/hooks/notes',
  headers: { 'X-Source': '[secret]' },
  active: true,
  has_secret: true,
  fail_count: 0,
  state: 'healthy',
  created_at: '2026-01-31T12:00:00.000Z',
  updated_at: '2026-01-31T12:00:00.000Z',
}

export const Webhook = z
  .object({
    id: z.uuid(),
    name: z.string(),
    table_schema: z.string().describe('as it is called now'),
    table_name: z.string().describe('as it is called now; after a drop, as it was called last'),
    table_watched: z
      .boolean()
      .describe(
        'false: the table was dropped and nothing is recorded; recording resumes within a minute once a table ' +
          'of its name exists',
      ),
    events: z.array(RowEvent),
    url: z.string().describe('as it is called: `HTTPS://Example.com` is `https://example.com/`'),
    headers: z
      .record(z.string(), z.string())
      .describe('sent with each delivery; the names, and `[secret]` for each value'),
    active: z.boolean().describe('false: paused; events are kept for seven days and sent on resume'),
    has_secret: z.boolean().describe('true: deliveries are signed'),
    fail_count: z.int().describe('failed attempts in a row; 0 after each success'),
    state: z
      .enum(WEBHOOK_STATES)
      .describe(
        'failing: 20 attempts in a row have failed, one event at a time is tried until one arrives; ' +
          'paused_by_receiver: it answered 410 Gone',
      ),
    created_at: Time,
    updated_at: Time,
  })
  .meta({ id: 'Webhook', examples: [WEBHOOK_EXAMPLE] })
export type Webhook = z.infer<typeof Webhook>

const Name = z
  .string()
  .trim()
  .min(1)
  .max(NAME_LENGTH_MAX)
  .regex(/^\P{Cc}*$/u, 'must hold no control characters')
const TableName = z
  .string()
  .min(1)
  .refine(
    text => encodeUtf8(text).length <= TABLE_NAME_BYTES_MAX,
    'must have at most 63 bytes, as every name',
  )
/** Says of whatever is no event what events are: zod's own words do not say that case counts. */
const WatchedEvent = z.enum(RowEvent.options, 'must be INSERT, UPDATE or DELETE, in upper case')
const Events = z
  .array(WatchedEvent, 'must be a list, as ["INSERT", "UPDATE"]')
  .min(1, 'must name at least one of INSERT, UPDATE, DELETE')
  .max(RowEvent.options.length, 'must name each event once')
  .refine(events => new Set(events).size === events.length, 'must name each event once')
const Headers = z.record(z.string(), z.string()).superRefine((headers, context) => {
  const problem = headersProblem(headers)
  if (problem !== undefined) context.addIssue({ code: 'custom', message: problem })
})
/** Headers of which none is lost: a record of zod leaves `__proto__` out without a word. */
function allOf<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess((headers, context) => {
    if (Object.hasOwn(Object(headers), '__proto__'))
      context.addIssue({ code: 'custom', message: 'must not set "__proto__"' })
    return headers
  }, schema)
}
const Secret = z
  .string()
  .min(1)
  .max(SECRET_LENGTH_MAX)
  .superRefine((secret, context) => {
    const problem = secretProblem(secret)
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem })
  })

const FIELDS = {
  name: Name.describe('What the webhook is for; need not be unique'),
  table_schema: TableName.describe('Schema of the watched table'),
  table_name: TableName.describe('The watched table, as Postgres has it: without quotes, in its own case'),
  events: Events.describe('Which changes are sent'),
  url: z.string().min(1).describe('Receives the POST: http or https, on a public address'),
  headers: Headers.describe(
    'Sent with each delivery, beside ours. Values are kept encrypted and never shown again',
  ),
  secret: Secret.nullable().describe(
    'Deliveries are signed with it: text of your own, or `whsec_` and base64. Never shown again; null: none',
  ),
  active: z.boolean().describe('false: events are kept, and sent when it is true again'),
}

export const WebhookIn = z
  .strictObject({
    ...FIELDS,
    table_schema: FIELDS.table_schema.default('public'),
    headers: allOf(FIELDS.headers.default({})),
    secret: FIELDS.secret.optional(),
    active: FIELDS.active.default(true),
  })
  .meta({ id: 'WebhookIn' })
export type WebhookIn = z.infer<typeof WebhookIn>

export const WebhookPatch = z
  .strictObject({ ...FIELDS, headers: allOf(FIELDS.headers) })
  .partial()
  .refine(patch => Object.keys(patch).length > 0, {
    error: 'names no field to change',
    // A patch of unknown fields alone has one mistake, not two.
    when: ({ issues }) => issues.length === 0,
  })
  .meta({ id: 'WebhookPatch' })
export type WebhookPatch = z.infer<typeof WebhookPatch>

/** One page of anything that is listed from the newest on. */
const cursor = z.string().max(200).optional().describe('`next_cursor` of the page before')
export const nextCursor = z.string().nullable().describe('null: the list is complete')

export const WebhookListQuery = z.strictObject({
  limit: WholeNumber.pipe(z.int().min(1).max(WEBHOOKS_PER_PAGE_MAX))
    .default(100)
    .describe('Webhooks per page'),
  cursor,
})
export type WebhookListQuery = z.infer<typeof WebhookListQuery>

export const WebhookList = z
  .object({ data: z.array(Webhook), next_cursor: nextCursor })
  .meta({ id: 'WebhookList' })
export type WebhookList = z.infer<typeof WebhookList>

const ENTRIES_PER_PAGE_MAX = 200

export const EntryListQuery = z.strictObject({
  limit: WholeNumber.pipe(z.int().min(1).max(ENTRIES_PER_PAGE_MAX))
    .default(50)
    .describe('Entries per page; a page of large bodies ends earlier'),
  cursor,
})
export type EntryListQuery = z.infer<typeof EntryListQuery>
