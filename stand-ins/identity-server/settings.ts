// What the local identity provider is told: by its environment when it runs as a process, by an object when a test or
// the local stack starts it. The only file here that reads the environment.

const MIN_SECRET_LENGTH = 16
const DEFAULT_SESSION_LIFESPAN_SECONDS = 24 * 60 * 60
const DEFAULT_FLOW_LIFESPAN_SECONDS = 10 * 60

export interface IdentityServerSettings {
  /** A database of its own; the tables are made at the start. */
  readonly databaseUrl: string
  /** 0 takes a free one. */
  readonly publicPort: number
  readonly adminPort: number
  /** Signs session cookies and logout tokens: sessions of cookies end when it changes. */
  readonly secret: string
  /** Where a `return_to` may lead: scheme and host must be equal, the path begins with the entry's. */
  readonly allowedReturnUrls: readonly string[]
  /** Pages that may read with cookies what the public port answers; unless told, any page without cookies. */
  readonly allowedOrigins?: readonly string[] | undefined
  /** Where a browser goes without a `return_to`; `{ui}/welcome` unless told. */
  readonly defaultReturnUrl?: string | undefined
  /** Base of the pages `login`, `registration`, `settings` and `error`; its own under `/ui` unless told. */
  readonly uiUrl?: string | undefined
  /** How a browser reaches the public port, when that is not the port itself. */
  readonly publicUrl?: string | undefined
  /** The identity schema; the one in this folder unless told. */
  readonly schemaFile?: string | undefined
  readonly sessionLifespanSeconds?: number | undefined
  readonly flowLifespanSeconds?: number | undefined
}

/** The settings of the variables `IDENTITY_SERVER_*`; throws with the name of the one that is missing or unreadable. */
export function readSettings(env: NodeJS.ProcessEnv): IdentityServerSettings {
  const optional = (name: string) => env[`IDENTITY_SERVER_${name}`]?.trim() || undefined
  const required = (name: string) => {
    const value = optional(name)
    if (value === undefined) throw new Error(`IDENTITY_SERVER_${name} is not set`)
    return value
  }
  return {
    databaseUrl: required('DATABASE_URL'),
    publicPort: readPort('PUBLIC_PORT', required('PUBLIC_PORT')),
    adminPort: readPort('ADMIN_PORT', required('ADMIN_PORT')),
    secret: required('SECRET'),
    allowedReturnUrls: listOf(optional('ALLOWED_RETURN_URLS')),
    allowedOrigins: listOf(optional('ALLOWED_ORIGINS')),
    defaultReturnUrl: optional('DEFAULT_RETURN_URL'),
    uiUrl: optional('UI_URL'),
    publicUrl: optional('PUBLIC_URL'),
    schemaFile: optional('SCHEMA_FILE'),
  }
}

/** What the settings leave open, filled in; throws when the secret is too short to sign with. */
export function lifespans(settings: IdentityServerSettings): { sessionMs: number; flowMs: number } {
  if (settings.secret.length < MIN_SECRET_LENGTH)
    throw new Error(`IDENTITY_SERVER_SECRET needs at least ${MIN_SECRET_LENGTH} characters`)
  return {
    sessionMs: (settings.sessionLifespanSeconds ?? DEFAULT_SESSION_LIFESPAN_SECONDS) * 1000,
    flowMs: (settings.flowLifespanSeconds ?? DEFAULT_FLOW_LIFESPAN_SECONDS) * 1000,
  }
}

function listOf(text = ''): string[] {
  return text.split(',').flatMap(url => url.trim() || [])
}

function readPort(name: string, text: string): number {
  const port = Number(text)
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new Error(`IDENTITY_SERVER_${name} is no port: ${text}`)
  return port
}
