// The API key record as callers see it, and what they may send. The secret itself is in no record.

import * as z from 'zod'
import { Instant } from '../../../lib/instant.ts'
import { WholeNumber } from '../../../lib/whole-number.ts'

export const ApiKeyRole = z.enum(['anon', 'service_role'])
export type ApiKeyRole = z.infer<typeof ApiKeyRole>

/** In a path. */
export const ApiKeyId = z
  .uuid()
  .describe('id of the key')
  .meta({ examples: ['4b7a1c2e-9d3f-4e5a-8b6c-7d8e9f0a1b2c'] })

export const API_KEY_EXAMPLE = {
  id: '4b7a1c2e-9d3f-4e5a-8b6c-7d8e9f0a1b2c',
  project_id: '0d9c8b7a-6f5e-4d3c-8b2a-1f0e9d8c7b6a',
  name: 'web shop',
  role: 'anon',
  prefix: 'svc_pk_',
  last_four: 'x9Qd',
  rate_limit_per_minute: 600,
  rate_limit_per_address: null,
  created_at: '2026-01-31T12:00:00.000Z',
  expires_at: null,
  last_used_at: null,
  revoked_at: null,
}

export const ApiKey = z
  .object({
    id: z.uuid(),
    project_id: z.uuid(),
    name: z.string(),
    role: ApiKeyRole,
    prefix: z.string().describe('svc_pk_ for anon, svc_sk_ for service_role'),
    last_four: z.string().describe('last four characters of the key, to recognise it by'),
    rate_limit_per_minute: z.int().nullable().describe('null: the default of the deployment'),
    rate_limit_per_address: z
      .int()
      .nullable()
      .describe('null: one address may use up the whole limit of the key'),
    created_at: z.iso.datetime({ offset: true }),
    expires_at: z.iso.datetime({ offset: true }).nullable(),
    last_used_at: z.iso.datetime({ offset: true }).nullable().describe('to the minute'),
    revoked_at: z.iso.datetime({ offset: true }).nullable(),
  })
  .meta({ id: 'ApiKey', examples: [API_KEY_EXAMPLE] })
export type ApiKey = z.infer<typeof ApiKey>

/** The largest limit that a key may carry; beyond it a limit is none. */
export const RATE_LIMIT_PER_MINUTE_MAX = 100_000_000
/** Seven days: a rotation is to end, not to give a second key. */
export const OVERLAP_SECONDS_MAX = 7 * 24 * 60 * 60
export const KEYS_PER_PAGE_MAX = 1_000

/** Postgres knows later years, JavaScript's ISO form does not: a key that nobody could list again. */
const EXPIRES_BEFORE_MS = Date.UTC(9999, 0, 1)

const rateLimit = z.int().min(1).max(RATE_LIMIT_PER_MINUTE_MAX).nullish()

/** What people call a record. */
export const Name = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(/^\P{Cc}*$/u, 'must hold no control characters')

/** What may be changed later too. */
const CHANGEABLE = {
  name: Name.describe('What the key is for; need not be unique'),
  rate_limit_per_minute: rateLimit.describe(
    'Requests in any 60 seconds; null: the default of the deployment',
  ),
  rate_limit_per_address: rateLimit.describe(
    'Requests a minute of one client address, within the limit of the key; null: no limit of its own',
  ),
  expires_at: Instant.refine(text => Date.parse(text) < EXPIRES_BEFORE_MS, 'must be before the year 9999')
    .nullish()
    .describe('When the key stops working; null: never'),
}

export const ApiKeyIn = z
  .strictObject({
    ...CHANGEABLE,
    role: ApiKeyRole.describe('anon respects row-level security, service_role passes it by'),
    project_id: z
      .uuid()
      .optional()
      .describe(
        'When left out the project of the calling key, which can name no other; with a session the oldest one',
      ),
  })
  .meta({ id: 'ApiKeyIn' })
export type ApiKeyIn = z.infer<typeof ApiKeyIn>

export const ApiKeyPatch = z
  .strictObject(CHANGEABLE)
  .partial()
  .refine(patch => Object.keys(patch).length > 0, {
    error: 'names no field to change',
    // A patch of unknown fields alone has one mistake, not two.
    when: ({ issues }) => issues.length === 0,
  })
  .meta({ id: 'ApiKeyPatch' })
export type ApiKeyPatch = z.infer<typeof ApiKeyPatch>

export const ApiKeyRotation = z
  .strictObject({
    overlap_seconds: z
      .int()
      .min(0)
      .max(OVERLAP_SECONDS_MAX)
      .default(0)
      .describe('How long the old key keeps working, within the same limit; 0: it stops at once'),
  })
  .meta({ id: 'ApiKeyRotation' })
export type ApiKeyRotation = z.infer<typeof ApiKeyRotation>

export const ApiKeyListQuery = z.strictObject({
  project_id: z
    .uuid()
    .optional()
    .describe('Keys of this project alone; with an API key it can only be its own'),
  limit: WholeNumber.pipe(z.int().min(1).max(KEYS_PER_PAGE_MAX)).default(100).describe('Keys per page'),
  cursor: z.string().max(200).optional().describe('`next_cursor` of the page before'),
})
export type ApiKeyListQuery = z.infer<typeof ApiKeyListQuery>

export const ApiKeyList = z
  .object({
    data: z.array(ApiKey),
    next_cursor: z.string().nullable().describe('null: the list is complete'),
  })
  .meta({ id: 'ApiKeyList' })
export type ApiKeyList = z.infer<typeof ApiKeyList>

/** The one answer that holds the secret. */
export const ApiKeyWithSecret = ApiKey.extend({
  key: z.string().describe('The key itself. Shown this once: only its hash is kept'),
}).meta({ id: 'ApiKeyWithSecret', examples: [{ ...API_KEY_EXAMPLE, key: 'svc_pk_...x9Qd' }] })
export type ApiKeyWithSecret = z.infer<typeof ApiKeyWithSecret>
