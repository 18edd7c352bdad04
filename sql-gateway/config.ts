/**
 * Owns the gateway's settings: names, units, defaults and bounds, and reading them from the environment once.
 * Must not open sockets or read anything but the environment; TLS files are read by the server.
 */
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
import { parseServedEntry, type ServedEntry } from './served.ts'

/** All settings of one gateway; `GatewayOptions` in `server.ts` lets a caller override any of them. */
export interface GatewayConfig {
  entries: ServedEntry[]
  host: string
  port: number
  tlsCertFile: string | undefined
  tlsKeyFile: string | undefined
  behindTlsProxy: boolean
  limits: GatewayLimits
}

/** Every bound of the gateway; `README.md` says in a sentence what each of them does. */
export interface GatewayLimits {
  ownPoolSize: number
  callerPoolSize: number
  waitersMax: number
  tunnelsMax: number
  httpConnectionsMax: number
  requestBodyBytesMax: number
  resultBytesMax: number
  heldBytesMax: number
  statementsPerBatchMax: number
  deadlineMsDefault: number
  deadlineMsMax: number
  cancelGraceMs: number
  connectTimeoutMs: number
  idleTimeoutMs: number
  connectionAgeMs: number
  requestTimeoutMs: number
  answerStallMs: number
  tunnelAuthenticationTimeoutMs: number
  tunnelIdleTimeoutMs: number
  shutdownGraceMs: number
}

const LIMITS: { readonly [K in keyof GatewayLimits]: Bounds } = {
  ownPoolSize: ['GATEWAY_OWN_POOL_SIZE', 10, 1, 500],
  callerPoolSize: ['GATEWAY_CALLER_POOL_SIZE', 10, 1, 500],
  waitersMax: ['GATEWAY_WAITERS_MAX', 1_000, 0, 100_000],
  tunnelsMax: ['GATEWAY_TUNNELS_MAX', 20, 0, 1_000],
  httpConnectionsMax: ['GATEWAY_HTTP_CONNECTIONS_MAX', 2_000, 1, 100_000],
  requestBodyBytesMax: ['GATEWAY_REQUEST_BODY_BYTES_MAX', 32 * 1024 * 1024, 1_024, 256 * 1024 * 1024],
  // A JavaScript string holds 512 Mi characters: the bound keeps every text that is built here well below it.
  resultBytesMax: ['GATEWAY_RESULT_BYTES_MAX', 64 * 1024 * 1024, 1_024, 256 * 1024 * 1024],
  heldBytesMax: ['GATEWAY_HELD_BYTES_MAX', 256 * 1024 * 1024, 1_024, 64 * 1024 ** 3],
  statementsPerBatchMax: ['GATEWAY_STATEMENTS_PER_BATCH_MAX', 10_000, 1, 1_000_000],
  deadlineMsDefault: ['GATEWAY_DEADLINE_MS_DEFAULT', 30_000, 1, 3_600_000],
  deadlineMsMax: ['GATEWAY_DEADLINE_MS_MAX', 600_000, 1, 3_600_000],
  cancelGraceMs: ['GATEWAY_CANCEL_GRACE_MS', 3_000, 1, 60_000],
  connectTimeoutMs: ['GATEWAY_CONNECT_TIMEOUT_MS', 5_000, 1, 60_000],
  idleTimeoutMs: ['GATEWAY_IDLE_TIMEOUT_MS', 300_000, 1_000, 86_400_000],
  connectionAgeMs: ['GATEWAY_CONNECTION_AGE_MS', 600_000, 1, 86_400_000],
  requestTimeoutMs: ['GATEWAY_REQUEST_TIMEOUT_MS', 30_000, 1_000, 600_000],
  answerStallMs: ['GATEWAY_ANSWER_STALL_MS', 15_000, 1, 600_000],
  tunnelAuthenticationTimeoutMs: ['GATEWAY_TUNNEL_AUTHENTICATION_TIMEOUT_MS', 10_000, 1, 60_000],
  tunnelIdleTimeoutMs: ['GATEWAY_TUNNEL_IDLE_TIMEOUT_MS', 1_800_000, 1_000, 86_400_000],
  shutdownGraceMs: ['GATEWAY_SHUTDOWN_GRACE_MS', 5_000, 0, 60_000],
}

/** Reads the environment; throws a `ConfigError` that names every setting that is wrong. */
export function readConfig(env: Environment): GatewayConfig {
  const urls = (env.GATEWAY_DATABASE_URLS ?? '').split(/\s+/).filter(url => url !== '')
  return readAll<GatewayConfig>({
    entries: () => parseEntries(urls, env.GATEWAY_SOCKET_DIR || undefined),
    host: () => env.GATEWAY_HOST || '127.0.0.1',
    port: () => readInteger(env, 'GATEWAY_PORT', 4488, 0, 65_535),
    tlsCertFile: () => env.GATEWAY_TLS_CERT_FILE || undefined,
    tlsKeyFile: () => env.GATEWAY_TLS_KEY_FILE || undefined,
    behindTlsProxy: () => readBoolean(env, 'GATEWAY_BEHIND_TLS_PROXY'),
    limits: () => readLimits(env),
  })
}

/** The served entries of these connection strings; never repeats a string in an error, since it holds a password. */
export function parseEntries(urls: readonly string[], socketDir: string | undefined): ServedEntry[] {
  if (urls.length === 0) throw new ConfigError('GATEWAY_DATABASE_URLS names no connection string')
  return urls.map((url, index) => {
    const entry = parseServedEntry(url, socketDir)
    if (entry === undefined) {
      throw new ConfigError(
        `GATEWAY_DATABASE_URLS: entry ${index + 1} is not of the form postgresql://user:password@host:port/database`,
      )
    }
    return entry
  })
}

/** The limits that the environment sets, the defaults for the rest. */
export function readLimits(env: Environment): GatewayLimits {
  return readIntegers(env, LIMITS)
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
