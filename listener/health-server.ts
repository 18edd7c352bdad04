/**
 * Owns the listener's HTTP side: `GET /healthz` and `GET /metrics`. Answers hold neither rows nor settings.
 */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ConfigError } from '../src/lib/environment.ts'
import type { Role } from './metrics.ts'

export interface HealthSource {
  readonly role: Role
  /** The text of `/metrics`; never rejects. */
  metrics(): Promise<string>
}

export interface HealthServer {
  readonly url: string
  readonly port: number
  close(): Promise<void>
}

const CONNECTIONS_MAX = 100

/** Listens; rejects with a `ConfigError` when the port is taken. */
export async function serveHealth(source: HealthSource, host: string, port: number): Promise<HealthServer> {
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 10_000 }, (req, res) => {
    req.resume()
    void answer(source, req.method ?? '', req.url ?? '', res)
  })
  server.maxConnections = CONNECTIONS_MAX
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const isTaken = error.code === 'EADDRINUSE'
      reject(isTaken ? new ConfigError(`LISTENER_HEALTH_PORT: ${port} is taken; 0 takes a free port`) : error)
    })
    server.listen(port, host, () => resolve())
  })
  const bound = (server.address() as AddressInfo).port
  const shownHost = host.includes(':') ? `[${host}]` : host
  const close = async (): Promise<void> => {
    const closed = new Promise(resolve => server.close(resolve))
    server.closeAllConnections()
    await closed
  }
  return { url: `http://${shownHost}:${bound}`, port: bound, close }
}

async function answer(source: HealthSource, method: string, url: string, res: ServerResponse): Promise<void> {
  const path = url.split('?', 1)[0]
  if (path !== '/healthz' && path !== '/metrics') return send(res, 404, { message: 'there is nothing here' })
  if (method !== 'GET') return send(res, 405, { message: 'use GET' }, { Allow: 'GET' })
  if (path === '/healthz') return sendHealth(res, source.role)
  const text = await source.metrics()
  res.writeHead(200, { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' })
  res.end(text)
}

function sendHealth(res: ServerResponse, role: Role): void {
  const isUp = role !== 'disconnected'
  send(res, isUp ? 200 : 503, { status: isUp ? 'ok' : 'unavailable', role })
}

function send(res: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  res.writeHead(status, { 'Content-Type': 'application/json', ...headers })
  res.end(JSON.stringify(body))
}
