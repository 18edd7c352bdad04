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

/** What a larger machine or database has more of. */
const SET_LIMITS = {
  ownPoolSize: ['GATEWAY_OWN_POOL_SIZE', 10, 1, 500],
  callerPoolSize: ['GATEWAY_CALLER_POOL_SIZE', 10, 1, 500],
  tunnelsMax: ['GATEWAY_TUNNELS_MAX', 20, 0, 1_000],
  heldBytesMax: ['GATEWAY_HELD_BYTES_MAX', 256 * 1024 * 1024, 1_024, 64 * 1024 ** 3],
} as const satisfies Record<string, Bounds>

/** What nobody has had a reason to turn. */
const FIXED_LIMITS = {
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

/** Every bound of the gateway. */
export type GatewayLimits = Record<keyof typeof SET_LIMITS | keyof typeof FIXED_LIMITS, number>

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

/** All limits, those of the environment among them. */
export function readLimits(env: Environment): GatewayLimits {
  return { ...FIXED_LIMITS, ...readIntegers(env, SET_LIMITS) }
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
