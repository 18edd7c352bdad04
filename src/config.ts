// Every variable of the Worker, parsed once per isolate. A variable that is not here does not exist.
// Secrets (the two connection strings) are never logged: `ConfigError` names variables, never values.

import * as z from 'zod'
import { decodeBase64 } from './lib/base64.ts'
import { Flag, PostgresUrl, readVariables, wholeNumber } from './lib/environment.ts'

const Url = z
  .url({ protocol: /^https?$/, error: 'must be a URL with http or https' })
  .transform(url => url.replace(/\/+$/, ''))
/** Neon's hosts of PgBouncer in transaction mode, which gives a caller's session to the next one as it was left. */
const POOLER_HOST = /^([^.]+)-pooler\./
const hostOf = (url: unknown) => (URL.canParse(String(url)) ? new URL(String(url)).hostname : '')
const directHost = (url: unknown) => hostOf(url).replace(POOLER_HOST, '$1.')
const SessionUrl = PostgresUrl.refine(url => !POOLER_HOST.test(hostOf(url)), {
  error: ({ input }) =>
    `must not go through a pooler that changes sessions; the direct host is ${directHost(input)}`,
})
const List = z
  .string()
  .transform(text => text.split(',').map(item => item.trim()))
  .refine(items => !items.includes(''), 'must name something between its commas')

/** `$user` would stand for the schema that is named like the caller's role. */
const CLOSED_SCHEMAS = /^(pg_.*|information_schema|quoin|storage|realtime|\$user)$/
const Schemas = List.refine(
  names => !names.some(name => CLOSED_SCHEMAS.test(name)),
  "must name none of Postgres' own schemas, nor quoin, nor storage and realtime, whose rows Quoin writes",
)

/** Days or hours as `7d` or `36h`; becomes seconds. */
const DaysOrHours = z
  .string()
  .regex(/^\d{1,4}[dh]$/, 'must be a number of days or hours, such as 7d or 36h')
  .transform(text => Number.parseInt(text, 10) * (text.endsWith('d') ? 86_400 : 3_600))

/** Each base64 of at least 32 bytes. */
const SigningKeys = List.refine(
  keys => keys.every(key => (decodeBase64(key)?.length ?? 0) >= 32),
  'must be base64 of at least 32 bytes; several are separated by commas',
)

const isSecretsKey = (text: string) => decodeBase64(text)?.length === 32

/** The variables, each with the sentence that the README's table shows. */
export const Variables = z.object({
  BASE_URL: Url.default('http://127.0.0.1:8787').describe('Address under which callers reach this service.'),
  DATABASE_URL: PostgresUrl.describe(
    "Connection string of the owner: Quoin's own tables and migrations. Secret.",
  ),
  DATA_DATABASE_URL: SessionUrl.describe(
    'Connection string of the login role `authenticator`: all callers’ data goes through it. ' +
      'On Neon the direct host, without -pooler. Secret.',
  ),
  SQL_GATEWAY_URL: Url.optional().describe('Address of the SQL gateway. Unset: the database is on Neon.'),
  DB_SCHEMAS: Schemas.default(['public']).describe(
    'Schemas that /v1/db and /rest/v1 serve, separated by commas; the first is the default.',
  ),
  DB_EXTRA_SEARCH_PATH: Schemas.default([]).describe(
    'Schemas of extensions, separated by commas: callers’ SQL finds their types, operators and functions by name, ' +
      'after those of DB_SCHEMAS. They are not served. Let callers not create there.',
  ),
  DB_MAX_ROWS: wholeNumber(1, 100_000)
    .default(1_000)
    .describe('Most rows that one answer of /rest/v1 has, on each level of a tree of embeds.'),
  DB_PLAN_ENABLED: Flag.describe(
    '`true` lets callers ask how Postgres runs their request (EXPLAIN), with Accept: application/vnd.pgrst.plan. ' +
      'Plans show policies, and counts of rows that these hide: not for production.',
  ),
  DATA_USER_ROLE: z
    .enum(['authenticated'], 'must be authenticated, or unset')
    .optional()
    .describe(
      '`authenticated`: the role of a signed-in person beside an anon key, as Supabase has it; ' +
        '`npm run adopt -- supabase` makes it. Unset: anon, as without a person.',
    ),
  MIGRATION_STATEMENT_TIMEOUT_MS: wholeNumber(100, 1_200_000)
    .default(300_000)
    .describe(
      'Milliseconds that one statement of a migration may take when it is run through /api/migrations.',
    ),
  RATE_LIMIT_PER_MINUTE: wholeNumber(1, 100_000_000)
    .default(100)
    .describe('Requests in any 60 seconds that a key without a limit of its own may make.'),
  ANON_STATEMENT_TIMEOUT_MS: wholeNumber(100, 30_000)
    .default(3_000)
    .describe('Milliseconds that a call with an anon key may take in the database.'),
  SQL_TEXT_BYTES_MAX: wholeNumber(1_024, 1_048_576)
    .default(262_144)
    .describe(
      'Most bytes of SQL text that one call of /v1/sql may carry, over all statements of a transaction; ' +
        'parameters are not counted.',
    ),
  ANON_BODY_BYTES_MAX: wholeNumber(1_024, 10_485_760)
    .default(1_048_576)
    .describe('Largest request body in bytes that a call with an anon key may have.'),
  REQUEST_LOG: z
    .enum(['all', 'errors', 'off'], 'must be all, errors or off')
    .default('all')
    .describe('Which requests leave a line in the log, as JSON: all, those answered with a 5xx, or none.'),
  OAUTH_PUBLIC_URL: Url.optional().describe(
    'Address of the OAuth2 server: issuer and signing keys of the access tokens that may come beside an API key.',
  ),
  OAUTH_ISSUER: z
    .string()
    .optional()
    .describe(
      '`iss` that access tokens must carry, exactly. Unset: OAUTH_PUBLIC_URL, with or without a final slash.',
    ),
  OAUTH_ADMIN_URL: Url.optional().describe("Address of the OAuth2 server's admin API."),
  OAUTH_ADMIN_TOKEN: z
    .string()
    .optional()
    .describe(
      'Bearer token for a gateway in front of the admin API; unset: no Authorization header is sent. Secret.',
    ),
  OAUTH_CLIENT_OWNER: z
    .string()
    .optional()
    .describe(
      '`owner` of the OAuth2 clients that are ours, written at creation. Unset: every client of the OAuth2 server is.',
    ),
  OAUTH_DATABASE_URL: PostgresUrl.optional().describe(
    "Connection string of the OAuth2 server's own database, for flushing ended tokens. " +
      'Unset: its flush endpoint is tried. Secret.',
  ),
  IDENTITY_PUBLIC_URL: Url.optional().describe(
    "Address of the identity provider's public API: sessions of /api, and the login page of the bridge.",
  ),
  IDENTITY_ADMIN_URL: Url.optional().describe(
    "Address of the identity provider's admin API: /v1/auth/identities, and the claims of a subject at consent.",
  ),
  PERMISSION_READ_URL: Url.optional().describe(
    "Address of the permission server's read API: checks and lists of relation tuples.",
  ),
  PERMISSION_WRITE_URL: Url.optional().describe(
    "Address of the permission server's write API: changes of relation tuples.",
  ),
  PERMISSION_ADMIN_TOKEN: z
    .string()
    .optional()
    .describe('Bearer token for the write API; unset: no Authorization header is sent. Secret.'),
  PERMISSION_DEPTH_MAX: wholeNumber(1, 50)
    .default(10)
    .describe(
      '`limit.max_read_depth` of the permission server, whose own default is 5: how deep its checks look.',
    ),
  PERMISSION_TUPLES_MAX: wholeNumber(500, 50_000)
    .default(20_000)
    .describe('Most relation tuples that one answer may read; beyond it the answer says `complete: false`.'),
  NEON_API_KEY: z
    .string()
    .optional()
    .describe('Key of Neon’s API: backups and branches are those of NEON_PROJECT_ID. Secret.'),
  NEON_PROJECT_ID: z
    .string()
    .regex(/^[a-z0-9-]{1,60}$/, 'must be the id of a project of Neon, such as ancient-fog-12345678')
    .optional()
    .describe('Project of Neon that the database is in. Unset: backups and branches are Quoin’s own.'),
  UPSTREAM_TIMEOUT_MS: wholeNumber(100, 30_000)
    .default(30_000)
    .describe(
      'Milliseconds that a call of the OAuth2, identity or permission server may take at most. By itself one is ' +
        'given up after 5000, one that changes a client after 15000, one that makes a key after 30000.',
    ),
  DASHBOARD_URL: Url.optional().describe(
    'Address of the dashboard: the one other origin that may call /api with cookies.',
  ),
  ADMIN_IDENTITY_IDS: List.default([]).describe(
    'Ids of identities that are administrators, beside those whose metadata_public.role is `admin`; ' +
      'separated by commas.',
  ),
  DASHBOARD_ROLES: List.default(['admin', 'member']).describe(
    'Values of metadata_public.role that may use /api at all, separated by commas; `*`: whoever can sign in.',
  ),
  API_RATE_LIMIT_PER_MINUTE: wholeNumber(1, 1_000_000)
    .default(600)
    .describe('Requests to /api in any 60 seconds that one client address may make.'),
  CONSENT_RATE_LIMIT_PER_MINUTE: wholeNumber(1, 1_000_000)
    .default(30)
    .describe('Consent decisions in any 60 seconds that one client address may send.'),
  CONSENT_REMEMBER_SECONDS: wholeNumber(0, 315_360_000)
    .default(0)
    .describe('How long a remembered consent holds, in seconds; 0: until it is revoked.'),
  /** How long each is, is checked where it is used. */
  INGEST_SECRET: List.default([]).describe(
    'Secret of at least 32 bytes that the listener signs row changes with; during a rotation two, ' +
      'separated by a comma. Unset: none are taken. Secret.',
  ),
  SECRETS_KEY: z
    .string()
    .refine(isSecretsKey, 'must be base64 of exactly 32 bytes')
    .optional()
    .describe(
      'Key that secrets and headers of webhooks are encrypted with: base64 of 32 random bytes. Secret.',
    ),
  STORAGE_RETENTION: DaysOrHours.prefault('7d').describe(
    'How long deleted and replaced files live on, as `7d` or `36h`: so far back a restored database finds its files.',
  ),
  STORAGE_UPLOAD_MAX_BYTES: wholeNumber(1, 5_368_709_120)
    .default(104_857_600)
    .describe(
      'Most bytes of a file that comes in one request. Cloudflare ends bodies at 100 MB on its smaller plans; ' +
        'larger files go by resumable uploads.',
    ),
  STORAGE_OBJECT_MAX_BYTES: wholeNumber(1, 1_000_000_000_000)
    .default(53_687_091_200)
    .describe('Most bytes of a file, however it comes.'),
  STORAGE_SIGNING_KEYS: SigningKeys.default([]).describe(
    'Keys of signed addresses of files, base64 of 32 random bytes each, separated by commas. The first signs, all ' +
      'are taken; a key that is gone ends its addresses. Unset: none are made. Secret.',
  ),
  STORAGE_PUBLIC_RATE_LIMIT_PER_MINUTE: wholeNumber(1, 1_000_000)
    .default(1_200)
    .describe('Requests for public and signed files in any 60 seconds that one client address may make.'),
  STORAGE_RENDER_RATE_LIMIT_PER_MINUTE: wholeNumber(1, 1_000_000)
    .default(60)
    .describe('Images in sizes not made before that one client address may ask for in any 60 seconds.'),
  REALTIME_SOCKETS_PER_KEY: wholeNumber(1, 20_000)
    .default(200)
    .describe('Sockets of realtime that one key may have open at a time.'),
  REALTIME_SOCKETS_PER_ADDRESS: wholeNumber(1, 20_000)
    .default(20)
    .describe('Sockets of realtime that one client address may have open at a time in a project.'),
  REALTIME_CHANNELS_PER_SOCKET: wholeNumber(1, 1_000)
    .default(100)
    .describe('Channels that one socket may have joined at a time.'),
  REALTIME_MESSAGES_PER_SECOND: wholeNumber(1, 100_000)
    .default(100)
    .describe('Messages (broadcasts and presence) in a second that may be sent with one key.'),
  REALTIME_MESSAGE_BYTES_MAX: wholeNumber(1_024, 3_145_728)
    .default(262_144)
    .describe('Largest message in bytes that a socket or a broadcast over HTTP may send.'),
  REALTIME_DELIVERIES_PER_SECOND: wholeNumber(10, 1_000_000)
    .default(10_000)
    .describe(
      'Frames in a second that a project sends to its sockets. Beyond it broadcasts are refused, and row changes wait.',
    ),
  ALLOW_PRIVATE_WEBHOOK_TARGETS: Flag.describe(
    '`true` lets webhooks send to private addresses and to this machine, and clients log out there: for development.',
  ),
  BRAND_NAME: z
    .string()
    .max(60, 'must have at most 60 characters')
    .default('Quoin')
    .describe("Name on the bridge's pages."),
  BRAND_COLOR: z
    .string()
    .regex(/^#[0-9a-fA-F]{6}$/, 'must be a colour of the form #rrggbb')
    .default('#1f5f8b')
    .describe("Accent colour of the bridge's pages, as #rrggbb."),
  BRAND_LOGO_URL: Url.optional().describe("Logo on the bridge's pages. Unset: the name alone."),
  DATA_AUDIENCE: z
    .string()
    .optional()
    .describe('Where set, `aud` of an access token beside an API key must hold this value.'),
})

type Values = z.output<typeof Variables>

/** The variables under names of JavaScript: `BASE_URL` is `baseUrl`. */
export type Config = { readonly [Name in keyof Values as CamelCase<Name>]-?: Values[Name] }

type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${Lowercase<First>}${Capitalize<CamelCase<Rest>>}`
  : Lowercase<Name>

/**
 * Reads the variables out of the Worker's environment (which also holds bindings); throws `ConfigError` naming every
 * wrong one.
 */
export function parseConfig(env: object): Config {
  const values = Object.entries(readVariables(Variables, env))
  return Object.fromEntries(values.map(([name, value]) => [camelCase(name), value])) as Config
}

/** As the type `CamelCase` does. */
function camelCase(name: string): string {
  return name.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())
}
