/**
 * Owns the listener's settings: names, units, defaults and bounds, and reading them from the environment once.
 * Must not open sockets or read anything but the environment. No error repeats a value: some are secrets.
 */
import type { Logger } from 'pino'
import { SECRET_BYTES_MIN } from '../src/features/row-changes/ingest/ingest-signature.ts'
import { INGEST_PATH, MESSAGE_CHUNKS_BYTES_MAX } from '../src/features/row-changes/ingest/messages.ts'
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

/** What an operator may have to turn: how often a listener asks a database that suspends itself. */
const SET_LIMITS = {
  standbyPollMs: ['LISTENER_STANDBY_POLL_MS', 1_000, 50, 60_000],
  fallbackLookMs: ['LISTENER_FALLBACK_LOOK_MS', 1_000, 0, 3_600_000],
} as const satisfies Record<string, Bounds>

/** What Worker, queue and a small machine take; nobody has had a reason to turn one. */
const FIXED_LIMITS = {
  /** Chunks known at a time, waiting or unconfirmed; the rest of a backlog stays in Postgres. */
  chunksMax: 5_000,
  /** Bytes of their rows and keys in memory, about. */
  bytesMax: 32 * 1024 * 1024,
  lookChunksMax: 1_000,
  lookBytesMax: 4 * 1024 * 1024,
  /** Ingest requests under way at a time. */
  requestsMax: 4,
  requestBytesMax: 1024 * 1024,
  /** What the consumer has to read from the outbox for one message; a larger chunk travels alone. */
  referencedBytesMax: 8 * 1024 * 1024,
  messageBytesMax: MESSAGE_CHUNKS_BYTES_MAX,
  /** Of `RowChangesIn`. */
  messagesPerRequestMax: 100,
  ingestTimeoutMs: 15_000,
  /** How long a chunk may stay in the outbox after a 202 before it is sent again. */
  confirmTimeoutMs: 60_000,
  refusedRetryMs: 30_000,
  backoffMsMax: 10_000,
  connectTimeoutMs: 5_000,
  /** How long requests under way may go on after a signal. */
  shutdownGraceMs: 10_000,
}

/** Every bound of the listener. */
export type ListenerLimits = Record<keyof typeof SET_LIMITS | keyof typeof FIXED_LIMITS, number>

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

/** All limits, those of the environment among them. */
export function readLimits(env: Environment): ListenerLimits {
  return { ...FIXED_LIMITS, ...readIntegers(env, SET_LIMITS) }
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
