// Every variable of the Worker, parsed once per isolate. A variable that is not here does not exist.
// Secrets (the two connection strings) are never logged: `ConfigError` names variables, never values.

import * as z from 'zod'

const Url = z.url({ protocol: /^https?$/ }).transform(url => url.replace(/\/+$/, ''))
const PostgresUrl = z.url({ protocol: /^postgres(ql)?$/ })
const List = z
  .string()
  .transform(text => text.split(',').map(item => item.trim()))
  .pipe(z.array(z.string().min(1)).min(1))

/** The variables, each with the sentence that the README's table shows. */
export const Variables = z.object({
  BASE_URL: Url.default('http://127.0.0.1:8787').describe('Address under which callers reach this service.'),
  DATABASE_URL: PostgresUrl.describe(
    "Connection string of the owner: Quoin's own tables and migrations. Secret.",
  ),
  DATA_DATABASE_URL: PostgresUrl.describe(
    'Connection string of the login role `authenticator`: all callers’ data goes through it. Secret.',
  ),
  SQL_GATEWAY_URL: Url.optional().describe('Address of the SQL gateway. Unset: the database is on Neon.'),
  DB_SCHEMAS: List.default(['public']).describe(
    'Schemas that /v1/db serves, separated by commas; the first is the default.',
  ),
  RATE_LIMIT_PER_MINUTE: z.coerce
    .number()
    .int()
    .min(1)
    .max(100_000_000)
    .default(100)
    .describe('Requests in any 60 seconds that a key without a limit of its own may make.'),
  OAUTH_PUBLIC_URL: Url.optional().describe(
    'Address of the OAuth2 server: issuer and signing keys of the access tokens that may come beside an API key.',
  ),
  OAUTH_ISSUER: z
    .string()
    .min(1)
    .optional()
    .describe(
      '`iss` that access tokens must carry, exactly. Unset: OAUTH_PUBLIC_URL, with or without a final slash.',
    ),
  DATA_AUDIENCE: z
    .string()
    .min(1)
    .optional()
    .describe('Where set, `aud` of an access token beside an API key must hold this value.'),
})

export interface Config {
  baseUrl: string
  databaseUrl: string
  dataDatabaseUrl: string
  sqlGatewayUrl: string | undefined
  dbSchemas: readonly string[]
  rateLimitPerMinute: number
  oauthPublicUrl: string | undefined
  oauthIssuer: string | undefined
  dataAudience: string | undefined
}

/** A variable is missing or wrong. The message names it and says what it must be, never its value. */
export class ConfigError extends Error {
  override name = 'ConfigError'
}

/** Reads the variables out of the Worker's environment (which also holds bindings); throws `ConfigError` naming every wrong one. */
export function parseConfig(env: object): Config {
  const parsed = Variables.safeParse(withoutEmpty(env))
  if (!parsed.success) {
    const problems = parsed.error.issues.map(issue => `${issue.path.join('.')}: ${issue.message}`)
    throw new ConfigError(`Variables that are missing or wrong: ${problems.join('; ')}`)
  }
  const variables = parsed.data
  return {
    baseUrl: variables.BASE_URL,
    databaseUrl: variables.DATABASE_URL,
    dataDatabaseUrl: variables.DATA_DATABASE_URL,
    sqlGatewayUrl: variables.SQL_GATEWAY_URL,
    dbSchemas: variables.DB_SCHEMAS,
    rateLimitPerMinute: variables.RATE_LIMIT_PER_MINUTE,
    oauthPublicUrl: variables.OAUTH_PUBLIC_URL,
    oauthIssuer: variables.OAUTH_ISSUER,
    dataAudience: variables.DATA_AUDIENCE,
  }
}

/** An empty variable means "not set": `NAME=` in an env file is how people switch one off. */
function withoutEmpty(env: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
}
