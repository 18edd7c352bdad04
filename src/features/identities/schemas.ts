// Identities as callers see them, and what a list of them takes. Credentials are in no record.

import * as z from 'zod'
import { IDENTITIES_PER_PAGE_MAX, IDENTITY_IDS_MAX } from '../../clients/identity-admin.ts'
import { Cursor } from '../../clients/page-cursor.ts'
import { WholeNumber } from '../../lib/whole-number.ts'

const Time = z.string().nullable()

/** In a path. */
export const IdentityId = z
  .string()
  .describe('id of the identity')
  .meta({ examples: ['9f1c2d3e-0000-4000-8000-000000000000'] })

/** In a path. */
export const IdentitySessionId = z
  .string()
  .describe('id of the session')
  .meta({ examples: ['5c2e8f1a-0000-4000-8000-000000000000'] })

const IDENTITY_EXAMPLE = {
  id: '9f1c2d3e-0000-4000-8000-000000000000',
  schema_id: 'default',
  state: 'active',
  traits: { email: 'ada@example.com', name: { first: 'Ada', last: 'Lovelace' } },
  verifiable_addresses: [{ value: 'ada@example.com', via: 'email', verified: true }],
  recovery_addresses: [{ value: 'ada@example.com', via: 'email' }],
  metadata_public: { role: 'member' },
  metadata_admin: null,
  created_at: '2026-01-31T12:00:00Z',
  updated_at: '2026-01-31T12:00:00Z',
}

export const Identity = z
  .object({
    id: z.string(),
    schema_id: z.string().describe('which schema of the identity provider `traits` follow'),
    state: z.string().describe('active, or inactive: may not sign in'),
    traits: z.record(z.string(), z.unknown()).describe('what the person may change: e-mail address, name'),
    verifiable_addresses: z.array(
      z.object({ value: z.string(), via: z.string().nullable(), verified: z.boolean() }),
    ),
    recovery_addresses: z.array(z.object({ value: z.string(), via: z.string().nullable() })),
    metadata_public: z
      .record(z.string(), z.unknown())
      .describe('what the person may see but not change; `role` decides about /api'),
    metadata_admin: z.unknown().describe('what only administrators and servers see; null when there is none'),
    created_at: Time,
    updated_at: Time,
  })
  .meta({ id: 'Identity', examples: [IDENTITY_EXAMPLE] })
export type Identity = z.infer<typeof Identity>

const SESSION_EXAMPLE = {
  id: '5c2e8f1a-0000-4000-8000-000000000000',
  authenticated_at: '2026-01-31T12:00:00Z',
  expires_at: '2026-02-01T12:00:00Z',
  authenticator_assurance_level: 'aal1',
  authentication_methods: ['password'],
  devices: [{ ip_address: '203.0.113.7', user_agent: 'Mozilla/5.0', location: null }],
}

export const IdentitySession = z
  .object({
    id: z.string(),
    authenticated_at: Time,
    expires_at: Time,
    authenticator_assurance_level: z.string().nullable().describe('aal1, or aal2 with a second factor'),
    authentication_methods: z.array(z.string()),
    devices: z.array(
      z.object({
        ip_address: z.string().nullable(),
        user_agent: z.string().nullable(),
        location: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: 'IdentitySession', examples: [SESSION_EXAMPLE] })
export type IdentitySession = z.infer<typeof IdentitySession>

/** More open sessions of one person than this are no longer read one by one. */
export const SESSIONS_SHOWN_MAX = 50

export const IdentityDetail = Identity.extend({
  active_sessions: z.array(IdentitySession).describe(`the newest ${SESSIONS_SHOWN_MAX}, newest first`),
}).meta({
  id: 'IdentityDetail',
  examples: [{ ...IDENTITY_EXAMPLE, active_sessions: [SESSION_EXAMPLE] }],
})
export type IdentityDetail = z.infer<typeof IdentityDetail>

export const IdentityListQuery = z
  .strictObject({
    email: z
      .string()
      .trim()
      .min(1)
      .max(320)
      .optional()
      .describe('Who signs in with this e-mail address or other identifier, exactly, in any letter case'),
    ids: z
      .string()
      .transform(text => text.split(','))
      .pipe(z.array(z.guid('must be UUIDs, separated by commas')).max(IDENTITY_IDS_MAX))
      .optional()
      .describe(`At most ${IDENTITY_IDS_MAX} ids, separated by commas; unknown ones are left out`),
    limit: WholeNumber.pipe(z.int().min(1).max(IDENTITIES_PER_PAGE_MAX))
      .default(100)
      .describe('Identities per page'),
    cursor: Cursor.optional().describe('`next_cursor` of the page before, with the same filter'),
  })
  .refine(({ email, ids }) => email === undefined || ids === undefined, {
    path: ['ids'],
    message: 'not beside email: the identity provider takes one of the two',
  })
export type IdentityListQuery = z.infer<typeof IdentityListQuery>

export const IdentityList = z
  .object({
    data: z.array(Identity),
    next_cursor: z.string().nullable().describe('null: the list is complete'),
  })
  .meta({ id: 'IdentityList' })
export type IdentityList = z.infer<typeof IdentityList>
