/**
 * Owns the gateway as a whole: HTTP server, routes, pools, start and shutdown.
 * Must not read the environment; `main.ts` does.
 */
import { readFile } from 'node:fs/promises'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { ByteBudget } from './byte-budget.ts'
import { assertSafeBinding, type GatewayConfig, type GatewayLimits, readConfig } from './config.ts'
import { ConnectionPool, type PoolWatcher } from './connection-pool.ts'
import { isHealthy } from './health.ts'
import { ServedEntries, type ServedEntry } from './served.ts'
import { type EntryPools, handleSql, type SqlRouteDeps } from './sql-route.ts'
import { acceptTunnels, type CloseTunnels } from './tunnel-server.ts'

/** What `startGateway` takes; everything but the connection strings has the defaults of the environment variables. */
export interface GatewayOptions {
  databaseUrls: readonly string[]
  socketDir?: string
  host?: string
  port?: number
  tlsCertFile?: string
  tlsKeyFile?: string
  behindTlsProxy?: boolean
  limits?: Partial<GatewayLimits>
  log?: GatewayLog
}

/** The part of a pino logger that the gateway uses. */
export type GatewayLog = Pick<pino.Logger, 'info' | 'warn' | 'error'>

/** A gateway that listens. */
export interface Gateway {
  readonly url: string
  readonly port: number
  /** Stops accepting, lets running batches finish for the grace time, then breaks what is left. */
  close(): Promise<void>
}

/** Each call tries to open a connection again, and each would say the same. */
const REFUSAL_TOLD_EVERY_MS = 60_000

/** Starts a gateway in this process; rejects when its settings are unsafe or the port is taken. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { databaseUrls, socketDir, limits, log, ...rest } = options
  const config = readConfig({
    GATEWAY_DATABASE_URLS: databaseUrls.join(' '),
    GATEWAY_SOCKET_DIR: socketDir,
    GATEWAY_PORT: 0,
  })
  const limited = { ...config, ...rest, limits: { ...config.limits, ...limits } }
  return startConfigured(limited, log ?? pino({ level: 'warn' }))
}

/** As `startGateway`, with settings that are complete. */
export async function startConfigured(config: GatewayConfig, log: GatewayLog): Promise<Gateway> {
  assertSafeBinding(config)
  const deps: SqlRouteDeps = {
    entries: new ServedEntries(config.entries),
    pools: new Map(config.entries.map(entry => [entry, makePools(entry, config.limits, log)])),
    limits: config.limits,
    heldBytes: new ByteBudget(config.limits.heldBytesMax),
    log,
  }
  const answering = new Set<ServerResponse>()
  const server = await makeServer(config, (req, res) => {
    answering.add(res)
    res.on('close', () => answering.delete(res))
    route(deps, req, res)
  })
  const closeTunnels = acceptTunnels(server, deps.entries, config.limits)
  await listen(server, config)
  const { port } = server.address() as AddressInfo
  const scheme = config.tlsCertFile === undefined ? 'http' : 'https'
  const host = config.host.includes(':') ? `[${config.host}]` : config.host
  let closing: Promise<void> | undefined
  return {
    url: `${scheme}://${host}:${port}`,
    port,
    close: () => (closing ??= shutDown(server, deps, answering, closeTunnels)),
  }
}

function route(deps: SqlRouteDeps, req: IncomingMessage, res: ServerResponse): void {
  const path = req.url ?? ''
  if (path === '/sql') {
    if (req.method === 'POST') {
      handleSql(deps, req, res)
      return
    }
    sendPlain(res, 405, { message: 'use POST' }, { Allow: 'POST' })
    return
  }
  if (path !== '/healthz') {
    sendPlain(res, 404, { message: 'there is nothing here' })
    return
  }
  if (req.method !== 'GET') {
    sendPlain(res, 405, { message: 'use GET' }, { Allow: 'GET' })
    return
  }
  void isHealthy([...deps.pools.values()].map(({ own }) => own)).then(isUp => {
    sendPlain(res, isUp ? 200 : 503, { status: isUp ? 'ok' : 'unavailable' })
  })
}

function sendPlain(
  res: ServerResponse,
  status: number,
  body: object,
  headers: Record<string, string> = {},
): void {
  res.writeHead(status, { 'Content-Type': 'application/json', ...headers })
  res.end(JSON.stringify(body))
}

function makePools(entry: ServedEntry, limits: GatewayLimits, log: GatewayLog): EntryPools {
  const { waitersMax, connectTimeoutMs, idleTimeoutMs, connectionAgeMs } = limits
  const common = { waitersMax, connectTimeoutMs, idleTimeoutMs, connectionAgeMs }
  const { database } = entry
  let toldAtMs = Number.NEGATIVE_INFINITY
  const watcher: PoolWatcher = {
    onBackendLeft: (processId, err) =>
      log.error({ err, processId, database }, 'a backend that ignores cancels may still run'),
    onRefused: ({ message, fields: { code, detail, hint } }) => {
      if (Date.now() - toldAtMs < REFUSAL_TOLD_EVERY_MS) return
      toldAtMs = Date.now()
      log.error({ database, code, detail, hint }, message)
    },
  }
  return {
    own: new ConnectionPool(entry, { ...common, size: limits.ownPoolSize }, watcher),
    caller: new ConnectionPool(entry, { ...common, size: limits.callerPoolSize }, watcher),
  }
}

async function makeServer(config: GatewayConfig, listener: RequestListener): Promise<Server> {
  const { limits, tlsCertFile, tlsKeyFile } = config
  const options = {
    requestTimeout: limits.requestTimeoutMs,
    headersTimeout: 10_000,
    keepAliveTimeout: 75_000,
  }
  const server =
    tlsCertFile === undefined || tlsKeyFile === undefined
      ? createServer(options, listener)
      : createTlsServer(
          { ...options, cert: await readFile(tlsCertFile), key: await readFile(tlsKeyFile) },
          listener,
        )
  server.maxConnections = limits.httpConnectionsMax
  // A caller that stopped reading its answer holds the memory of it no longer than the longest batch may last.
  server.timeout = limits.deadlineMsMax + 60_000
  return server
}

function listen(server: Server, { port, host }: GatewayConfig): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve())
  })
}

async function shutDown(
  server: Server,
  deps: SqlRouteDeps,
  answering: ReadonlySet<ServerResponse>,
  closeTunnels: CloseTunnels,
): Promise<void> {
  const closed = new Promise<void>(resolve => server.close(() => resolve()))
  closeTunnels()
  const deadlineMs = Date.now() + deps.limits.shutdownGraceMs
  // Not the connections are waited for: a client may hold one open on which it never asked anything.
  while (answering.size > 0 && Date.now() < deadlineMs) await new Promise(next => setTimeout(next, 10))
  for (const { own, caller } of deps.pools.values()) {
    own.destroy()
    caller.destroy()
  }
  // The answers of batches that were just broken are written before their sockets go.
  await new Promise(next => setImmediate(next))
  server.closeAllConnections()
  await closed
}
