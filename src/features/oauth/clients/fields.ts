// The fields of a client that callers may write, one by one. What they may not be together is in `combinations.ts`.

import * as z from 'zod'
import {
  backchannelUriProblem,
  linkProblem,
  logoutUriProblem,
  redirectUriProblem,
  sectorUriProblem,
  URI_LENGTH_MAX,
} from './uris.ts'

/** Grants of the specification; the server would store any word. */
export const GRANT_TYPES = [
  'authorization_code',
  'client_credentials',
  'refresh_token',
  'implicit',
  'urn:ietf:params:oauth:grant-type:device_code',
] as const
export const DEVICE_CODE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

/** What response types are made of, in the order in which the specifications write them. */
const RESPONSE_TYPE_WORDS = ['code', 'id_token', 'token']

/** Ten years. A longer lifetime is a mistake in the unit. */
export const TTL_SECONDS_MAX = 315_360_000
/** Metadata travel in every login and consent request, whose challenges stand in addresses. */
export const METADATA_BYTES_MAX = 4096
const URIS_MAX = 100

/** A text of which `problemOf` says what is wrong with it; one that is too long is looked at no further. */
function checkedText(lengthMax: number, problemOf: (text: string) => string | undefined) {
  return z
    .string()
    .max(lengthMax, { abort: true })
    .superRefine((text, context) => {
      const problem = problemOf(text)
      if (problem !== undefined) context.addIssue({ code: 'custom', message: problem })
    })
}

/** As `checkedText`; the empty text and null clear the field. */
function clearableText(lengthMax: number, problemOf: (text: string) => string | undefined) {
  return checkedText(lengthMax, text => (text === '' ? undefined : problemOf(text))).nullable()
}

/** A list in which nothing stands twice. */
function distinctList<Item extends z.ZodType<string>>(item: Item, lengthMax: number) {
  return z
    .array(item)
    .max(lengthMax, { abort: true })
    .superRefine((items, context) => {
      const firstOf = new Map<string, number>()
      items.forEach((value, index) => {
        const first = firstOf.get(value)
        if (first === undefined) firstOf.set(value, index)
        else context.addIssue({ code: 'custom', path: [index], message: `is the same as number ${first}` })
      })
    })
}

const CONTROL_CHARACTER = /\p{Cc}/u

function plainTextProblem(text: string): string | undefined {
  return CONTROL_CHARACTER.test(text) ? 'must hold no control characters' : undefined
}

/** Line separators, and what shows nothing but changes how the rest is shown: U+202E turns it around. */
const INVISIBLE = /[\p{Cf}\p{Zl}\p{Zp}]/u
/** A letter, digit or sign, but none that is blank: fillers of Hangul, the empty pattern of Braille. */
const VISIBLE = /(?![\p{Default_Ignorable_Code_Point}\u2800])[\p{L}\p{N}\p{P}\p{S}]/u

/** People decide by the name of a client; the empty one is none. */
function nameProblem(name: string): string | undefined {
  if (INVISIBLE.test(name)) return 'must hold no invisible characters'
  if (name !== '' && !VISIBLE.test(name)) return 'must hold a visible character'
  return plainTextProblem(name)
}

/** Words of printable ASCII without quote and backslash, one space between them (RFC 6749 section 3.3). */
function scopeProblem(scope: string): string | undefined {
  // The server would read it as null: three scopes where somebody meant none.
  if (scope === '') return 'must name a scope; null for the default scopes of the server'
  const words = scope.split(' ')
  if (words.includes('')) return 'must be words with one space between them'
  const bad = words.find(word => !/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(word))
  if (bad !== undefined) return `"${bad}" holds a character that a scope may not have`
  const seen = new Set<string>()
  for (const word of words) {
    if (seen.has(word)) return `holds "${word}" twice`
    seen.add(word)
  }
  return undefined
}

/** Clients ask for several audiences with spaces between them. */
function audienceProblem(audience: string): string | undefined {
  return /^[\x21-\x7e]+$/.test(audience) ? undefined : 'must be printable ASCII without spaces'
}

function responseTypeProblem(type: string): string | undefined {
  const words = type.split(' ')
  const unknown = words.find(word => !RESPONSE_TYPE_WORDS.includes(word))
  if (unknown !== undefined)
    return `"${unknown}" is not a response type: they consist of code, token and id_token`
  return new Set(words).size < words.length ? 'holds a word twice' : undefined
}

/** `id_token code` and `code id_token` are one response type (OAuth 2.0 Multiple Response Types section 3). */
function inUsualOrder(type: string): string {
  const words = type.split(' ')
  return RESPONSE_TYPE_WORDS.filter(word => words.includes(word)).join(' ')
}

const Metadata = z.record(z.string(), z.unknown()).superRefine((metadata, context) => {
  const bytes = new TextEncoder().encode(JSON.stringify(metadata)).byteLength
  if (bytes > METADATA_BYTES_MAX)
    context.addIssue({ code: 'custom', message: `must be at most ${METADATA_BYTES_MAX} bytes of JSON` })
  const skip = metadata['skip_consent']
  if (skip !== undefined && typeof skip !== 'boolean')
    context.addIssue({ code: 'custom', path: ['skip_consent'], message: 'must be true or false' })
})

const Link = clearableText(URI_LENGTH_MAX, linkProblem)
const LogoutUri = clearableText(URI_LENGTH_MAX, logoutUriProblem)
const RedirectUri = checkedText(URI_LENGTH_MAX, redirectUriProblem)
const ResponseType = checkedText(40, responseTypeProblem).transform(inUsualOrder)
const TTL_PROBLEM = `must be 1 to ${TTL_SECONDS_MAX} seconds (ten years); null for the server's default`
const Ttl = z.int(TTL_PROBLEM).min(1, TTL_PROBLEM).max(TTL_SECONDS_MAX, TTL_PROBLEM).nullable()

/** Lifetimes and the rest of the token configuration; the fields of `PATCH .../token-config`. */
export const TOKEN_FIELDS = {
  access_token_ttl: Ttl.describe(
    'Seconds that access tokens of every grant live; null: as the server has it',
  ),
  refresh_token_ttl: Ttl.describe(
    'Seconds that refresh tokens of every grant live; null: as the server has it',
  ),
  id_token_ttl: Ttl.describe('Seconds that ID tokens of every grant live; null: as the server has it'),
  access_token_strategy: z
    .enum(['jwt', 'opaque'])
    .nullable()
    .describe(
      'null: opaque, unless the server is set to jwt. Access tokens issued before a change stop working',
    ),
  frontchannel_logout_uri: LogoutUri.describe('The browser calls it when the user logs out'),
  backchannel_logout_uri: clearableText(URI_LENGTH_MAX, backchannelUriProblem).describe(
    'The OAuth2 server posts a logout_token to it: https and a public address; a loopback host in development',
  ),
}

/** Every field that a caller may write. */
export const CLIENT_FIELDS = {
  client_name: checkedText(200, nameProblem).describe('Shown on the consent screen'),
  grant_types: distinctList(z.enum(GRANT_TYPES), GRANT_TYPES.length).min(1),
  response_types: distinctList(ResponseType, 10).describe(
    'Each made of code, id_token and token; those of the grants when left out at creation',
  ),
  redirect_uris: distinctList(RedirectUri, URIS_MAX).describe(
    'Absolute and without fragment; http for loopback hosts only, custom schemes for applications. The record as a ' +
      'whole must fit into the address of a sign-in: hundreds of characters each are too many for dozens of them',
  ),
  post_logout_redirect_uris: distinctList(RedirectUri, URIS_MAX).describe(
    'Each of the scheme, host and port of a redirect URI',
  ),
  scope: checkedText(4096, scopeProblem)
    .nullable()
    .describe(
      'Scopes that the client may ask for, with spaces between them; null: the default scopes of the server',
    ),
  token_endpoint_auth_method: z
    .enum(['none', 'client_secret_basic', 'client_secret_post'])
    .describe('none: a public client, which must use PKCE'),
  audience: distinctList(checkedText(URI_LENGTH_MAX, audienceProblem), 50).describe(
    'Resource servers that tokens may be asked for',
  ),
  subject_type: z
    .enum(['public', 'pairwise'])
    .describe('pairwise: each client, or each sector, gets a sub of its own'),
  sector_identifier_uri: clearableText(URI_LENGTH_MAX, sectorUriProblem).describe(
    'Clients with the same host here get the same pairwise sub; a JSON array of their redirect URIs',
  ),
  metadata: Metadata.describe(
    `At most ${METADATA_BYTES_MAX} bytes of JSON, which replace the whole object. ` +
      'skip_consent: true approves without a screen',
  ),
  skip_consent: z.boolean().describe('The same as metadata.skip_consent: either is enough'),
  skip_logout_consent: z
    .boolean()
    .describe('Signing out by an application that sends an ID token asks nobody'),
  ...TOKEN_FIELDS,
  frontchannel_logout_session_required: z.boolean(),
  backchannel_logout_session_required: z.boolean(),
  client_uri: Link,
  logo_uri: Link,
  tos_uri: Link,
  policy_uri: Link,
  owner: clearableText(255, plainTextProblem),
  contacts: distinctList(checkedText(320, plainTextProblem).min(1), 20),
}
