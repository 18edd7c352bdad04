// Consents as callers see them (Spec, Consent session), and what ends with them. What an application or the bridge put
// into a consent's session is in none of these.

import * as z from 'zod'

const NullableText = z.string().nullable()

export const ConsentSession = z.object({
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
export type ConsentSession = z.infer<typeof ConsentSession>

export const ConsentSessionList = z.array(ConsentSession)

/** Which client's consents are meant; without it all of ours. */
export const ConsentQuery = z.strictObject({
  client: z.string().min(1).max(255).optional().describe('client_id; every client when left out'),
})
export type ConsentQuery = z.infer<typeof ConsentQuery>

export const ConsentRevocation = z.object({
  subject: z.string(),
  revoked: z.int().describe('how many consents there were'),
  clients: z.array(z.string()).describe('client_id of each client that had one'),
})
export type ConsentRevocation = z.infer<typeof ConsentRevocation>

export const SubjectIn = z.strictObject({
  subject: z.string().min(1).max(255).describe("The person: the identity's id"),
})

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

export const Logout = z.object({
  subject: z.string(),
  login_sessions_ended: z
    .int()
    .describe('those that consents name; others of the subject end too, but are not counted'),
  consents_revoked: z.int(),
  clients: z.array(Notification),
})
export type Logout = z.infer<typeof Logout>
export type LogoutNotification = z.infer<typeof Notification>
