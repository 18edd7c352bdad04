/**
 * Owns the WebSocket upgrade on `/v2`: how many there may be, with and without a password, and closing all of them.
 * The `address` parameter that the driver sends is not used: the start-up message says which entry is meant.
 */
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { createWebSocketStream, type WebSocket, WebSocketServer } from 'ws'
import type { GatewayLimits } from './config.ts'
import { gatewayError, type SqlError } from './errors.ts'
import type { ServedEntries } from './served.ts'
import { serveTunnel, type TunnelDeps } from './tunnel.ts'

/** Who has not shown a password yet: so many at a time. */
const STRANGERS_MAX = 100

/** Closes every tunnel at once. */
export type CloseTunnels = () => void

/** Lets the server accept tunnels; a WebSocket message may be as long as an HTTP body. */
export function acceptTunnels(server: Server, entries: ServedEntries, limits: GatewayLimits): CloseTunnels {
  const deps: TunnelDeps = { entries, limits, sessions: new Map() }
  /**
   * From the one that waits longest on. They take no place of a session: else anybody on the network could take all.
   */
  const strangers = new Set<WebSocket>()
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: limits.requestBodyBytesMax,
    perMessageDeflate: false,
  })
  server.on('upgrade', (req: IncomingMessage, socket: Duplex, head: Buffer) => {
    // Between here and the end of the handshake nobody else listens for errors of this socket.
    socket.on('error', () => socket.destroy())
    if (req.url?.split('?', 1)[0] !== '/v2') return refuse(socket, '404 Not Found')
    sockets.handleUpgrade(req, socket, head, webSocket => {
      const [oldest] = strangers
      if (strangers.size >= STRANGERS_MAX) oldest?.terminate()
      strangers.add(webSocket)
      webSocket.once('close', () => strangers.delete(webSocket))
      const client = createWebSocketStream(webSocket)
      // A broken frame or connection also closes the stream, and that is what the tunnel acts on.
      client.on('error', () => client.destroy())
      void serveTunnel(deps, client, () => {
        if (sockets.clients.size - strangers.size >= limits.tunnelsMax) throw tooManyTunnels(limits)
        strangers.delete(webSocket)
      })
    })
  })
  return () => {
    for (const webSocket of sockets.clients) webSocket.terminate()
  }
}

function tooManyTunnels({ tunnelsMax }: GatewayLimits): SqlError {
  return gatewayError('53300', `all ${tunnelsMax} WebSocket sessions of the gateway are taken`)
}

function refuse(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}
