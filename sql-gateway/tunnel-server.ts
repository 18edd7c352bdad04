/**
 * Owns the WebSocket upgrade on `/v2`: who may upgrade, how many, and closing all of them.
 * The `address` parameter that the driver sends is not used: the start-up message says which entry is meant.
 */
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { createWebSocketStream, WebSocketServer } from 'ws'
import type { GatewayLimits } from './config.ts'
import type { ServedEntries } from './served.ts'
import { serveTunnel, type TunnelDeps } from './tunnel.ts'

/** Closes every tunnel at once. */
export type CloseTunnels = () => void

/** Lets the server accept tunnels; a WebSocket message may be as long as an HTTP body. */
export function acceptTunnels(server: Server, entries: ServedEntries, limits: GatewayLimits): CloseTunnels {
  const deps: TunnelDeps = { entries, limits, sessions: new Map() }
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: limits.requestBodyBytesMax,
    perMessageDeflate: false,
  })
  server.on('upgrade', (req: IncomingMessage, socket: Duplex, head: Buffer) => {
    // Between here and the end of the handshake nobody else listens for errors of this socket.
    socket.on('error', () => socket.destroy())
    if (req.url?.split('?', 1)[0] !== '/v2') return refuse(socket, '404 Not Found')
    if (sockets.clients.size >= limits.tunnelsMax) return refuse(socket, '503 Service Unavailable')
    sockets.handleUpgrade(req, socket, head, webSocket => {
      const client = createWebSocketStream(webSocket)
      // A broken frame or connection also closes the stream, and that is what the tunnel acts on.
      client.on('error', () => client.destroy())
      void serveTunnel(deps, client)
    })
  })
  return () => {
    for (const webSocket of sockets.clients) webSocket.terminate()
  }
}

function refuse(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}
