// The bodies of the consent endpoints, as scripts and custom screens see them.

import * as z from 'zod'
import { Challenge } from './submitted.ts'

/** A yes (Spec, POST bridge/consent/accept). */
export const ConsentYes = z
  .strictObject({
    challenge: Challenge,
    grant_scope: z.array(z.string().min(1).max(200)).max(100),
    remember: z.boolean().default(false),
  })
  .meta({ id: 'ConsentYes' })

/** OAuth error codes have no quotes, backslashes or characters beyond ASCII (RFC 6749 section 4.1.2.1). */
const ErrorCode = z
  .string()
  .max(100)
  .regex(/^[\x21\x23-\x5B\x5D-\x7E]+$/, 'must be an OAuth error code')

/** A no (Spec, POST bridge/consent/reject). */
export const ConsentNo = z
  .strictObject({
    challenge: Challenge,
    error: ErrorCode.default('access_denied'),
    error_description: z
      .string()
      .max(500, { abort: true })
      .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must hold no control characters and no half of a surrogate pair')
      .default('The resource owner denied the request.'),
  })
  .meta({ id: 'ConsentNo' })

/** What a custom consent screen has to show. Texts and addresses come from the client's record: escape them. */
export const ConsentInfo = z
  .object({
    client: z.object({
      client_id: z.string(),
      client_name: z.string().nullable(),
      client_uri: z.string().nullable(),
      logo_uri: z.string().nullable(),
      tos_uri: z.string().nullable(),
      policy_uri: z.string().nullable(),
    }),
    subject: z.string().describe('Whose consent is asked for: the identity that signed in'),
    requested_scope: z.array(z.string()),
    scopes: z
      .array(z.object({ scope: z.string(), title: z.string(), detail: z.string() }))
      .describe('The same with words for people'),
    requested_access_token_audience: z.array(z.string()),
    skip: z.boolean().describe('True where no screen is needed: remembered, or a client with skip_consent'),
    is_device_flow: z.boolean().describe('True: always ask, and show the code of the device'),
    destination: z
      .string()
      .nullable()
      .describe('Where the application gets the answer; several hosts where it is not certain which'),
  })
  .meta({
    id: 'ConsentInfo',
    examples: [
      {
        client: {
          client_id: 'c1b2a3d4-5e6f-4a7b-8c9d-0e1f2a3b4c5d',
          client_name: 'Web shop',
          client_uri: 'https://shop.example.com',
          logo_uri: null,
          tos_uri: null,
          policy_uri: null,
        },
        subject: '9f1c2d3e-0000-4000-8000-000000000000',
        requested_scope: ['openid', 'email'],
        scopes: [
          { scope: 'openid', title: 'Know who you are', detail: 'An identifier of your account.' },
          { scope: 'email', title: 'See your e-mail address', detail: 'And whether it is verified.' },
        ],
        requested_access_token_audience: [],
        skip: false,
        is_device_flow: false,
        destination: 'shop.example.com',
      },
    ],
  })
