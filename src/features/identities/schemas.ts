// Identities as callers see them, and what a list of them takes. Credentials are in no record.

import * as z from 'zod'
import { IDENTITIES_PER_PAGE_MAX, IDENTITY_IDS_MAX } from '../../clients/identity-admin.ts'
import { WholeNumber } from '../../lib/whole-number.ts'

const Time = z.string().nullable()

export const Identity = z.object({
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
export type Identity = z.infer<typeof Identity>

export const IdentitySession = z.object({
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
export type IdentitySession = z.infer<typeof IdentitySession>

/** More open sessions of one person than this are no longer read one by one. */
export const SESSIONS_SHOWN_MAX = 50

export const IdentityDetail = Identity.extend({
  active_sessions: z.array(IdentitySession).describe(`the newest ${SESSIONS_SHOWN_MAX}, newest first`),
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
    cursor: z
      .string()
      .max(1_000)
      .optional()
      .describe('`next_cursor` of the page before, with the same filter'),
  })
  .refine(({ email, ids }) => email === undefined || ids === undefined, {
    path: ['ids'],
    message: 'not beside email: the identity provider takes one of the two',
  })
export type IdentityListQuery = z.infer<typeof IdentityListQuery>

export const IdentityList = z.object({
  data: z.array(Identity),
  next_cursor: z.string().nullable().describe('null: the list is complete'),
})
export type IdentityList = z.infer<typeof IdentityList>
