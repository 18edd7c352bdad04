/**
 * Owns the listener's settings: names, units, defaults and bounds, and reading them from the environment once.
 * Must not open sockets or read anything but the environment. No error repeats a value: some are secrets.
 */
import type { Logger } from 'pino'
import * as z from 'zod'
import { SECRET_BYTES_MIN } from '../src/features/row-changes/ingest/ingest-signature.ts'
import { INGEST_PATH, MESSAGE_CHUNKS_BYTES_MAX } from '../src/features/row-changes/ingest/messages.ts'
import { Flag, isLoopback, PostgresUrl, readVariables, wholeNumber } from '../src/lib/environment.ts'

const SECRETS_FORM = `must be one secret of at least ${SECRET_BYTES_MIN} bytes, or two with a comma between`

/** During a rotation there are two; the Worker takes both, so the first signs. */
const SigningSecret = z
  .string(SECRETS_FORM)
  .transform(text => text.split(',').map(secret => secret.trim()))
  .refine(
    secrets => secrets.length <= 2 && secrets.every(secret => Buffer.byteLength(secret) >= SECRET_BYTES_MIN),
    SECRETS_FORM,
  )
  .transform(([first = '']) => first)

const INGEST_URL_FORM = `must be the URL of the Worker, ending in ${INGEST_PATH}`
const IngestUrl = z
  .url({ protocol: /^https?$/, error: INGEST_URL_FORM })
  .transform(text => new URL(text))
  .refine(url => url.pathname === INGEST_PATH && url.username === '' && url.hash === '', INGEST_URL_FORM)

/** The variables, each with the sentence that the table of README.md shows. */
export const Variables = z
  .object({
    LISTENER_DATABASE_URL: PostgresUrl.describe(
      'Direct connection string of the owner: a pooler in transaction mode does not keep the lock. Secret.',
    ),
    INGEST_URL: IngestUrl.describe(
      "The Worker's `/internal/row-changes`, as its clients reach it: the path is signed.",
    ),
    INGEST_SECRET: SigningSecret.describe(
      "The Worker's secret of at least 32 bytes, which requests are signed with. " +
        'Of two, separated by a comma, the first signs. Secret.',
    ),
    LISTENER_ALLOW_PLAIN_HTTP: Flag.describe(
      '`true` allows an `http:` URL of another machine: rows travel in the clear.',
    ),
    LISTENER_HEALTH_HOST: z
      .string()
      .default('127.0.0.1')
      .describe('Where `/healthz` and `/metrics` listen; in a container `0.0.0.0`, which its image sets.'),
    LISTENER_HEALTH_PORT: wholeNumber(0, 65_535).default(4490).describe('Their port; 0 takes a free one.'),
    LISTENER_STANDBY_POLL_MS: wholeNumber(50, 60_000)
      .default(1_000)
      .describe(
        'How often a listener that stands by tries to become the active one: when that ends, changes wait so long.',
      ),
    LISTENER_FALLBACK_LOOK_MS: wholeNumber(0, 3_600_000)
      .default(1_000)
      .describe(
        'At rest, how often it looks without a NOTIFY; 0: never, so that a database which suspends itself can.',
      ),
  })
  // Requests hold rows of users: to another machine they travel encrypted. Told beside what else is wrong.
  .refine(
    ({ INGEST_URL: url, LISTENER_ALLOW_PLAIN_HTTP }) => LISTENER_ALLOW_PLAIN_HTTP || !isInTheClear(url),
    {
      path: ['INGEST_URL'],
      error: 'is not https: rows would travel in the clear (LISTENER_ALLOW_PLAIN_HTTP=true allows it)',
      when: ({ value }) => (value as { INGEST_URL: unknown }).INGEST_URL instanceof URL,
    },
  )

function isInTheClear({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && !isLoopback(hostname.replace(/^\[|\]$/g, ''))
}

/** The part of a pino logger that the listener uses. */
export type ListenerLog = Pick<Logger, 'info' | 'warn' | 'error'>

/** What Worker, queue and a small machine take; nobody has had a reason to turn one. */
export const FIXED_LIMITS = {
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

/** All settings of one listener. */
export type ListenerConfig = ReturnType<typeof readConfig>

/** Every bound of the listener. */
export type ListenerLimits = ListenerConfig['limits']

/** Reads the environment; throws a `ConfigError` that names every variable that is wrong. */
export function readConfig(env: object) {
  const variables = readVariables(Variables, env)
  return {
    databaseUrl: variables.LISTENER_DATABASE_URL,
    /** The whole URL of the Worker's `POST /internal/row-changes`. */
    ingestUrl: variables.INGEST_URL,
    /** The secret that requests are signed with. */
    ingestSecret: variables.INGEST_SECRET,
    healthHost: variables.LISTENER_HEALTH_HOST,
    healthPort: variables.LISTENER_HEALTH_PORT,
    limits: {
      ...FIXED_LIMITS,
      standbyPollMs: variables.LISTENER_STANDBY_POLL_MS,
      fallbackLookMs: variables.LISTENER_FALLBACK_LOOK_MS,
    },
  }
}
