/**
 * Owns the gateway's settings: names, units, defaults and bounds, and reading them from the environment once.
 * Must not open sockets or read anything but the environment; TLS files are read by the server.
 */
import * as z from 'zod'
import {
  ConfigError,
  Flag,
  isLoopback,
  POSTGRES_URL_FORM,
  readVariables,
  wholeNumber,
} from '../src/lib/environment.ts'
import { parseServedEntry } from './served.ts'

/** The connection strings in a text; what is wrong with one is told by its place, since it holds a password. */
const ConnectionStrings = z
  .string('must hold a connection string')
  .transform(text => text.split(/\s+/).filter(url => url !== ''))
  .superRefine((urls, context) => {
    if (urls.length === 0) context.addIssue('must hold a connection string')
    const wrong = urls.findIndex(url => parseServedEntry(url) === undefined)
    if (wrong !== -1) context.addIssue(`entry ${wrong + 1} must be of the form ${POSTGRES_URL_FORM}`)
  })

/** The variables, each with the sentence that the table of README.md shows. */
export const Variables = z.object({
  GATEWAY_DATABASE_URLS: ConnectionStrings.describe(
    'Complete connection strings served, separated by white space: those that the Worker has. ' +
      'Each may carry `?host=/socket/dir` and `sslmode`. Secret.',
  ),
  GATEWAY_SOCKET_DIR: z
    .string()
    .optional()
    .describe('Reach every database through the Unix socket in this folder: on one machine faster than TCP.'),
  GATEWAY_HOST: z
    .string()
    .default('127.0.0.1')
    .describe(
      'Address to listen at. One that is not loopback needs a certificate or GATEWAY_BEHIND_TLS_PROXY.',
    ),
  GATEWAY_PORT: wholeNumber(0, 65_535).default(4488).describe('Port to listen at; 0 takes a free one.'),
  GATEWAY_TLS_CERT_FILE: z
    .string()
    .optional()
    .describe(
      'Certificate in PEM: the gateway serves https itself, since requests carry connection strings.',
    ),
  GATEWAY_TLS_KEY_FILE: z.string().optional().describe('Private key of that certificate, in PEM.'),
  GATEWAY_BEHIND_TLS_PROXY: Flag.describe('`true`: a proxy with TLS stands in front.'),
  GATEWAY_OWN_POOL_SIZE: wholeNumber(1, 500)
    .default(10)
    .describe("Connections per database for Quoin's own statements; a larger database has more."),
  GATEWAY_CALLER_POOL_SIZE: wholeNumber(1, 500)
    .default(10)
    .describe("Connections per database for callers' SQL; a larger database has more."),
  GATEWAY_TUNNELS_MAX: wholeNumber(0, 1_000)
    .default(20)
    .describe(
      'WebSocket sessions at a time, from the password on; 100 more may be without one. Each holds a connection.',
    ),
  GATEWAY_HELD_BYTES_MAX: wholeNumber(1_024, 64 * 1024 ** 3)
    .default(256 * 1024 * 1024)
    .describe(
      'Most bytes of bodies and answers that are held at a time, until their callers have taken them. ' +
        'The process takes up to three times that.',
    ),
})

/** What nobody has had a reason to turn. */
export const FIXED_LIMITS = {
  waitersMax: 1_000,
  httpConnectionsMax: 2_000,
  requestBodyBytesMax: 32 * 1024 * 1024,
  // A JavaScript string holds 512 Mi characters: the bound keeps every text that is built here well below it.
  resultBytesMax: 64 * 1024 * 1024,
  statementsPerBatchMax: 10_000,
  /** Without `Quoin-Timeout-Ms`. */
  deadlineMsDefault: 30_000,
  /** The most that `Quoin-Timeout-Ms` may ask for. */
  deadlineMsMax: 600_000,
  /** How long a cancelled batch has to end before its connection is cut. */
  cancelGraceMs: 3_000,
  connectTimeoutMs: 5_000,
  /** When a pooled connection without work is closed. */
  idleTimeoutMs: 300_000,
  /** When a pooled connection is replaced, whatever it does. */
  connectionAgeMs: 600_000,
  /** How long a request may take to arrive. */
  requestTimeoutMs: 30_000,
  /** When an answer is ended that nobody takes a byte of. */
  answerStallMs: 15_000,
  tunnelAuthenticationTimeoutMs: 10_000,
  /** When a WebSocket session without traffic is closed. */
  tunnelIdleTimeoutMs: 1_800_000,
  /** How long running batches may go on after a signal. */
  shutdownGraceMs: 5_000,
}

/** All settings of one gateway; `GatewayOptions` in `server.ts` lets a caller override any of them. */
export type GatewayConfig = ReturnType<typeof readConfig>

/** Every bound of the gateway. */
export type GatewayLimits = GatewayConfig['limits']

/** Reads the environment; throws a `ConfigError` that names every variable that is wrong. */
export function readConfig(env: object) {
  const variables = readVariables(Variables, env)
  return {
    // Each can be parsed: that was checked above.
    entries: variables.GATEWAY_DATABASE_URLS.flatMap(
      url => parseServedEntry(url, variables.GATEWAY_SOCKET_DIR) ?? [],
    ),
    host: variables.GATEWAY_HOST,
    port: variables.GATEWAY_PORT,
    tlsCertFile: variables.GATEWAY_TLS_CERT_FILE,
    tlsKeyFile: variables.GATEWAY_TLS_KEY_FILE,
    behindTlsProxy: variables.GATEWAY_BEHIND_TLS_PROXY,
    limits: {
      ...FIXED_LIMITS,
      ownPoolSize: variables.GATEWAY_OWN_POOL_SIZE,
      callerPoolSize: variables.GATEWAY_CALLER_POOL_SIZE,
      tunnelsMax: variables.GATEWAY_TUNNELS_MAX,
      heldBytesMax: variables.GATEWAY_HELD_BYTES_MAX,
    },
  }
}

/** Refuses what would put passwords on a network in the clear: another address than loopback without TLS. */
export function assertSafeBinding(config: Omit<GatewayConfig, 'entries' | 'limits'>): void {
  if ((config.tlsCertFile === undefined) !== (config.tlsKeyFile === undefined)) {
    throw new ConfigError('GATEWAY_TLS_CERT_FILE and GATEWAY_TLS_KEY_FILE must be set together')
  }
  if (isLoopback(config.host) || config.tlsCertFile !== undefined || config.behindTlsProxy) return
  throw new ConfigError(
    `GATEWAY_HOST ${config.host} is not loopback: set GATEWAY_TLS_CERT_FILE and GATEWAY_TLS_KEY_FILE, ` +
      'or GATEWAY_BEHIND_TLS_PROXY=true',
  )
}
