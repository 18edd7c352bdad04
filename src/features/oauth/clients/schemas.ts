// The client record as callers see it, and what they may send. A secret is in two answers only: that of the creation,
// and that of the rotation.

import * as z from 'zod'
import { CLIENTS_PER_PAGE_MAX } from '../../../clients/oauth-server/clients.ts'
import { SentPageToken } from '../../../clients/page-cursor.ts'
import { CLIENT_FIELDS, TOKEN_FIELDS } from './fields.ts'

const Uri = z.string().nullable()
const Seconds = z.int().nullable()

/** In a path. */
export const ClientId = z
  .string()
  .describe('client_id of the client')
  .meta({ examples: ['c1b2a3d4-5e6f-4a7b-8c9d-0e1f2a3b4c5d'] })

const CLIENT_EXAMPLE = {
  client_id: 'c1b2a3d4-5e6f-4a7b-8c9d-0e1f2a3b4c5d',
  client_name: 'Web shop',
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  redirect_uris: ['https://shop.example.com/callback'],
  post_logout_redirect_uris: [],
  scope: 'openid offline_access email',
  token_endpoint_auth_method: 'client_secret_basic',
  audience: [],
  subject_type: 'public',
  sector_identifier_uri: null,
  metadata: {},
  skip_consent: false,
  skip_logout_consent: false,
  access_token_ttl: null,
  refresh_token_ttl: null,
  id_token_ttl: null,
  access_token_strategy: 'jwt',
  frontchannel_logout_uri: null,
  frontchannel_logout_session_required: false,
  backchannel_logout_uri: null,
  backchannel_logout_session_required: false,
  client_uri: 'https://shop.example.com',
  logo_uri: null,
  tos_uri: null,
  policy_uri: null,
  owner: null,
  contacts: [],
  created_at: '2026-01-31T12:00:00Z',
  updated_at: '2026-01-31T12:00:00Z',
}
const CLIENT_SECRET_EXAMPLE = 'shown.this.once'

/**
 * A client of the OAuth2 server (specification, OAuth2 client record). Wider than what may be written: clients that
 * were made elsewhere are shown as they are.
 */
export const OAuthClient = z
  .object({
    client_id: z.string(),
    client_name: z.string(),
    grant_types: z.array(z.string()),
    response_types: z.array(z.string()),
    redirect_uris: z.array(z.string()),
    post_logout_redirect_uris: z.array(z.string()),
    scope: z.string(),
    token_endpoint_auth_method: z.string(),
    audience: z.array(z.string()),
    subject_type: z.string(),
    sector_identifier_uri: Uri,
    metadata: z.record(z.string(), z.unknown()),
    skip_consent: z.boolean(),
    skip_logout_consent: z.boolean(),
    access_token_ttl: Seconds.describe("seconds; null: the server's default"),
    refresh_token_ttl: Seconds,
    id_token_ttl: Seconds,
    access_token_strategy: z.string().nullable().describe("null: the server's default, which is opaque"),
    frontchannel_logout_uri: Uri,
    frontchannel_logout_session_required: z.boolean(),
    backchannel_logout_uri: Uri,
    backchannel_logout_session_required: z.boolean(),
    client_uri: Uri,
    logo_uri: Uri,
    tos_uri: Uri,
    policy_uri: Uri,
    owner: z.string().nullable(),
    contacts: z.array(z.string()),
    created_at: z.iso.datetime().nullable(),
    updated_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'OAuthClient', examples: [CLIENT_EXAMPLE] })
export type OAuthClient = z.infer<typeof OAuthClient>

export const OAuthClientList = z.array(OAuthClient)

/** The answer of the creation. */
export const CreatedOAuthClient = OAuthClient.extend({
  client_secret: z.string().optional().describe('Shown this once; a public client has none'),
}).meta({
  id: 'CreatedOAuthClient',
  examples: [{ ...CLIENT_EXAMPLE, client_secret: CLIENT_SECRET_EXAMPLE }],
})
export type CreatedOAuthClient = z.infer<typeof CreatedOAuthClient>

/** What a new client is made of; everything may be left out but the redirect URIs that its grants need. */
export const OAuthClientIn = z.strictObject(CLIENT_FIELDS).partial().meta({ id: 'OAuthClientIn' })
export type OAuthClientIn = z.infer<typeof OAuthClientIn>

/** Fields to change. The record's own id and times may be sent back with it. */
export const OAuthClientPatch = OAuthClientIn.extend({
  client_id: z.string().optional().describe('Cannot be changed'),
  client_secret: z.string().optional().describe('Cannot be changed here: POST .../secret makes a new one'),
  created_at: z.string().nullish().describe('Cannot be changed'),
  updated_at: z
    .string()
    .nullish()
    .describe(
      'Where sent, the change is refused if somebody made one since; the server counts in seconds, so of two ' +
        'changes within one the second is not seen',
    ),
}).meta({ id: 'OAuthClientPatch' })
export type OAuthClientPatch = z.infer<typeof OAuthClientPatch>

export const TokenConfig = z.strictObject(TOKEN_FIELDS).partial().meta({ id: 'TokenConfig' })

export const ClientSecret = z.object({ client_id: z.string(), client_secret: z.string() }).meta({
  id: 'ClientSecret',
  examples: [{ client_id: CLIENT_EXAMPLE.client_id, client_secret: CLIENT_SECRET_EXAMPLE }],
})
export type ClientSecret = z.infer<typeof ClientSecret>

export const OAuthClientListQuery = z.strictObject({
  page_size: z
    .string()
    .regex(/^\d{1,4}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(1).max(CLIENTS_PER_PAGE_MAX))
    .optional()
    .describe('Clients per page, 1 to 500. Without it and without page_token the whole list comes'),
  page_token: SentPageToken.optional().describe('From the rel="next" link of the page before'),
})
export type OAuthClientListQuery = z.infer<typeof OAuthClientListQuery>
