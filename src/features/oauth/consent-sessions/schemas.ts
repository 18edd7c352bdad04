// Consents as callers see them (Spec, Consent session), and what ends with them. What an application or the bridge put
// into a consent's session is in none of these.

import * as z from 'zod'

const NullableText = z.string().nullable()

/** In a path. */
export const Subject = z
  .string()
  .describe("The person: the identity's id")
  .meta({ examples: ['9f1c2d3e-0000-4000-8000-000000000000'] })

export const ConsentSession = z
  .object({
    consent_request_id: NullableText.describe('null: the OAuth2 server is too old to have one'),
    client: z.object({
      client_id: z.string(),
      client_name: NullableText,
      client_uri: NullableText,
      logo_uri: NullableText,
      policy_uri: NullableText,
      tos_uri: NullableText,
    }),
    scopes: z.array(z.string()).describe('the scopes granted'),
    audience: z.array(z.string()).describe('the resource servers granted'),
    remember: z.boolean().describe('true: the person is not asked again'),
    remember_for: z.int().describe('seconds; 0: until it is revoked'),
    granted_at: NullableText.describe('ISO 8601'),
  })
  .meta({
    id: 'ConsentSession',
    examples: [
      {
        consent_request_id: 'a8d4f5c2-1b3e-4d6f-8a9b-0c1d2e3f4a5b',
        client: {
          client_id: 'c1b2a3d4-5e6f-4a7b-8c9d-0e1f2a3b4c5d',
          client_name: 'Web shop',
          client_uri: 'https://shop.example.com',
          logo_uri: null,
          policy_uri: null,
          tos_uri: null,
        },
        scopes: ['openid', 'email'],
        audience: [],
        remember: true,
        remember_for: 0,
        granted_at: '2026-01-31T12:00:00Z',
      },
    ],
  })
export type ConsentSession = z.infer<typeof ConsentSession>

export const ConsentSessionList = z.array(ConsentSession)

/** Which client's consents are meant; without it all of ours. */
export const ConsentQuery = z.strictObject({
  client: z.string().min(1).max(255).optional().describe('client_id; every client when left out'),
})
export type ConsentQuery = z.infer<typeof ConsentQuery>

export const ConsentRevocation = z
  .object({
    subject: z.string(),
    revoked: z.int().describe('how many consents there were'),
    clients: z.array(z.string()).describe('client_id of each client that had one'),
  })
  .meta({
    id: 'ConsentRevocation',
    examples: [
      {
        subject: '9f1c2d3e-0000-4000-8000-000000000000',
        revoked: 1,
        clients: ['c1b2a3d4-5e6f-4a7b-8c9d-0e1f2a3b4c5d'],
      },
    ],
  })
export type ConsentRevocation = z.infer<typeof ConsentRevocation>

export const SubjectIn = z
  .strictObject({
    subject: z.string().min(1).max(255).describe("The person: the identity's id"),
  })
  .meta({ id: 'SubjectIn' })

const Notification = z.object({
  client_id: z.string(),
  client_name: NullableText,
  backchannel_logout: z
    .enum(['requested', 'not_registered', 'no_session'])
    .describe(
      'requested: the OAuth2 server was told to end a login session of this client, which makes it send the logout ' +
        'token; whether it arrives is not known. no_session: the consent names no login session.',
    ),
  frontchannel_logout: z
    .enum(['needs_browser', 'not_registered'])
    .describe("needs_browser: only a logout in the person's own browser reaches the client's page"),
})

export const Logout = z
  .object({
    subject: z.string(),
    login_sessions_ended: z
      .int()
      .describe('those that consents name; others of the subject end too, but are not counted'),
    consents_revoked: z.int(),
    clients: z.array(Notification),
  })
  .meta({
    id: 'Logout',
    examples: [
      {
        subject: '9f1c2d3e-0000-4000-8000-000000000000',
        login_sessions_ended: 1,
        consents_revoked: 1,
        clients: [
          {
            client_id: 'c1b2a3d4-5e6f-4a7b-8c9d-0e1f2a3b4c5d',
            client_name: 'Web shop',
            backchannel_logout: 'requested',
            frontchannel_logout: 'not_registered',
          },
        ],
      },
    ],
  })
export type Logout = z.infer<typeof Logout>
export type LogoutNotification = z.infer<typeof Notification>
