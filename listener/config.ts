/**
 * Owns the listener's settings: names, units, defaults and bounds, and reading them from the environment once.
 * Must not open sockets or read anything but the environment. No error repeats a value: some are secrets.
 */
import type { Logger } from 'pino'
import { SECRET_BYTES_MIN } from '../src/features/row-changes/ingest/ingest-signature.ts'
import {
  INGEST_BYTES_MAX,
  INGEST_PATH,
  MESSAGE_BYTES_MAX,
  MESSAGE_CHUNKS_BYTES_MAX,
} from '../src/features/row-changes/ingest/messages.ts'
import {
  type Bounds,
  ConfigError,
  type Environment,
  isLoopback,
  readAll,
  readBoolean,
  readInteger,
  readIntegers,
} from '../src/lib/environment.ts'

/** All settings of one listener. */
export interface ListenerConfig {
  /** A direct connection: a pooler in transaction mode does not keep the lock. */
  databaseUrl: string
  /** The whole URL of the Worker's `POST /internal/row-changes`. */
  ingestUrl: URL
  /** The secret that requests are signed with. */
  ingestSecret: string
  healthHost: string
  healthPort: number
  limits: ListenerLimits
}

/** The part of a pino logger that the listener uses. */
export type ListenerLog = Pick<Logger, 'info' | 'warn' | 'error'>

const LIMITS = {
  chunksMax: ['LISTENER_CHUNKS_MAX', 5_000, 1, 100_000],
  bytesMax: ['LISTENER_BYTES_MAX', 32 * 1024 * 1024, 1024 * 1024, 1024 * 1024 * 1024],
  lookChunksMax: ['LISTENER_LOOK_CHUNKS_MAX', 1_000, 1, 10_000],
  lookBytesMax: ['LISTENER_LOOK_BYTES_MAX', 4 * 1024 * 1024, 128 * 1024, 256 * 1024 * 1024],
  requestsMax: ['LISTENER_REQUESTS_MAX', 4, 1, 32],
  requestBytesMax: ['LISTENER_REQUEST_BYTES_MAX', 1024 * 1024, 2 * MESSAGE_BYTES_MAX, INGEST_BYTES_MAX],
  referencedBytesMax: ['LISTENER_REFERENCED_BYTES_MAX', 8 * 1024 * 1024, 1024 * 1024, 64 * 1024 * 1024],
  ingestTimeoutMs: ['LISTENER_INGEST_TIMEOUT_MS', 15_000, 100, 120_000],
  confirmTimeoutMs: ['LISTENER_CONFIRM_TIMEOUT_MS', 60_000, 100, 3_600_000],
  refusedRetryMs: ['LISTENER_REFUSED_RETRY_MS', 30_000, 100, 3_600_000],
  backoffMsMax: ['LISTENER_BACKOFF_MS_MAX', 10_000, 100, 600_000],
  connectTimeoutMs: ['LISTENER_CONNECT_TIMEOUT_MS', 5_000, 100, 60_000],
  standbyPollMs: ['LISTENER_STANDBY_POLL_MS', 1_000, 50, 60_000],
  fallbackLookMs: ['LISTENER_FALLBACK_LOOK_MS', 1_000, 0, 3_600_000],
  shutdownGraceMs: ['LISTENER_SHUTDOWN_GRACE_MS', 10_000, 0, 60_000],
} as const satisfies Record<string, Bounds>

/** What Worker and queue take, whatever the environment says. */
const AGREED = {
  messageBytesMax: MESSAGE_CHUNKS_BYTES_MAX,
  /** Of `RowChangesIn`. */
  messagesPerRequestMax: 100,
}

/** Every bound of the listener; `README.md` says in a sentence what each of them does. */
export type ListenerLimits = Record<keyof typeof LIMITS | keyof typeof AGREED, number>

/** Reads the environment; throws a `ConfigError` that names every setting that is wrong. */
export function readConfig(env: Environment): ListenerConfig {
  return readAll<ListenerConfig>({
    databaseUrl: () => readDatabaseUrl(env),
    ingestUrl: () => readIngestUrl(env),
    ingestSecret: () => readSecret(env),
    healthHost: () => env.LISTENER_HEALTH_HOST || '127.0.0.1',
    healthPort: () => readInteger(env, 'LISTENER_HEALTH_PORT', 4490, 0, 65_535),
    limits: () => readLimits(env),
  })
}

/** The limits that the environment sets, the defaults for the rest. */
export function readLimits(env: Environment): ListenerLimits {
  return { ...readIntegers(env, LIMITS), ...AGREED }
}

function readDatabaseUrl(env: Environment): string {
  const text = env.LISTENER_DATABASE_URL ?? ''
  if (/^postgres(ql)?:$/.test(parseUrl(text)?.protocol ?? '')) return text
  throw new ConfigError(
    'LISTENER_DATABASE_URL must be of the form postgresql://user:password@host:port/database',
  )
}

/** Requests hold rows of users: to another machine they travel encrypted. */
function readIngestUrl(env: Environment): URL {
  const url = parseUrl(env.INGEST_URL ?? '')
  const isIngest = url !== undefined && /^https?:$/.test(url.protocol) && url.pathname === INGEST_PATH
  if (!isIngest || url.username !== '' || url.hash !== '') {
    throw new ConfigError(`INGEST_URL must be the URL of the Worker, ending in ${INGEST_PATH}`)
  }
  const isOnThisMachine = isLoopback(url.hostname.replace(/^\[|\]$/g, ''))
  if (url.protocol === 'https:' || isOnThisMachine || readBoolean(env, 'LISTENER_ALLOW_PLAIN_HTTP'))
    return url
  throw new ConfigError(
    'INGEST_URL is not https: rows would travel in the clear (LISTENER_ALLOW_PLAIN_HTTP=true allows it)',
  )
}

/** During a rotation there are two; the Worker takes both, so the first signs. */
function readSecret(env: Environment): string {
  const secrets = (env.INGEST_SECRET ?? '').split(',').map(secret => secret.trim())
  const [first = ''] = secrets
  if (secrets.length <= 2 && secrets.every(secret => Buffer.byteLength(secret) >= SECRET_BYTES_MIN))
    return first
  throw new ConfigError(
    `INGEST_SECRET must be one secret of at least ${SECRET_BYTES_MIN} bytes, or two with a comma between`,
  )
}

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined
}
