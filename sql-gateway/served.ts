/**
 * Owns the list of databases that the gateway serves, and deciding whether a caller's connection string or password
 * names one of them. No I/O; a refusal never tells which part was wrong.
 */
import { createHash, timingSafeEqual } from 'node:crypto'

/** How the gateway talks TLS to Postgres: libpq's `sslmode`, `require` encrypting without checking the certificate. */
export type PostgresTls = 'off' | 'require' | 'verify'

/** One served database with the credentials that its connection string carries. */
export interface ServedEntry {
  readonly user: string
  readonly password: string
  readonly database: string
  readonly host: string
  readonly port: number
  /** Path of the server's Unix socket; wins over host and port. */
  readonly socketPath: string | undefined
  readonly tls: PostgresTls
  /** SHA-256 of the connection string's canonical form. */
  readonly digest: Buffer
}

/** What the driver adds to a string of its own accord, and what only says how this gateway reaches Postgres. */
const IGNORED_PARAMETERS = new Set(['application_name', 'fallback_application_name', 'host'])
const PORT_DEFAULT = 5432
const KNOWN_STRINGS_MAX = 64

interface ConnectionString {
  user: string
  password: string
  host: string
  port: number
  database: string
  parameters: URLSearchParams
}

/** Finds the entry of a connection string; the exact strings that were found are remembered, a few at most. */
export class ServedEntries {
  readonly list: readonly ServedEntry[]
  readonly #known = new Map<string, ServedEntry>()

  constructor(entries: readonly ServedEntry[]) {
    this.list = entries
  }

  find(text: string): ServedEntry | undefined {
    const known = this.#known.get(text)
    if (known !== undefined) return known
    const parsed = parseConnectionString(text)
    if (parsed === undefined) return undefined
    const entry = findByDigest(this.list, digestOf(parsed))
    if (entry === undefined) return undefined
    if (this.#known.size >= KNOWN_STRINGS_MAX) this.#known.clear()
    this.#known.set(text, entry)
    return entry
  }

  /** The entry of this user and database whose password this is; takes as long when there is none. */
  findByPassword(user: string, database: string, password: string): ServedEntry | undefined {
    const given = sha256(password)
    let found: ServedEntry | undefined
    for (const entry of this.list) {
      const isEqual = timingSafeEqual(sha256(entry.password), given)
      if (isEqual && entry.user === user && entry.database === database) found ??= entry
    }
    return found
  }
}

/** Parses one served connection string; undefined when user, password, host or database is missing. */
export function parseServedEntry(text: string, socketDir?: string): ServedEntry | undefined {
  const parsed = parseConnectionString(text)
  if (parsed === undefined) return undefined
  const { parameters, ...target } = parsed
  const directory = socketDir ?? parameters.get('host') ?? undefined
  const isSocket = directory?.startsWith('/') ?? false
  return {
    ...target,
    socketPath: isSocket ? `${directory}/.s.PGSQL.${target.port}` : undefined,
    tls: isSocket ? 'off' : tlsOf(parameters.get('sslmode')),
    digest: digestOf(parsed),
  }
}

function parseConnectionString(text: string): ConnectionString | undefined {
  const match = /^postgres(?:ql)?:(\/\/.+)$/.exec(text)
  if (match === null) return undefined
  try {
    const url = new URL(`http:${match[1]}`)
    const target = {
      user: decodeURIComponent(url.username),
      password: decodeURIComponent(url.password),
      // WHATWG drops the port 80 of an `http:` URL: then the text is asked.
      port: Number(url.port || (/:80(?=[/?])/.test(text) ? 80 : PORT_DEFAULT)),
      host: url.hostname.replace(/^\[|\]$/g, ''),
      database: decodeURIComponent(url.pathname.slice(1)),
    }
    const isComplete = target.user !== '' && target.password !== '' && target.database !== ''
    return isComplete ? { ...target, parameters: url.searchParams } : undefined
  } catch {
    // Not a URL, or a broken percent-escape: simply not one of ours.
    return undefined
  }
}

function digestOf(parsed: ConnectionString): Buffer {
  const kept = [...parsed.parameters].filter(([name]) => !IGNORED_PARAMETERS.has(name)).sort()
  const { user, password, host, port, database } = parsed
  return sha256(JSON.stringify([user, password, host, port, database, kept]))
}

function findByDigest(entries: readonly ServedEntry[], digest: Buffer): ServedEntry | undefined {
  let found: ServedEntry | undefined
  for (const entry of entries) if (timingSafeEqual(entry.digest, digest)) found ??= entry
  return found
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function tlsOf(sslmode: string | null): PostgresTls {
  if (sslmode === 'require' || sslmode === 'no-verify') return 'require'
  return sslmode === 'verify-full' || sslmode === 'verify-ca' ? 'verify' : 'off'
}
