// What the local OAuth2 server, identity provider and permission server have in common as processes. Each serves apps
// on ports of this machine, and its end lets open requests finish.

import type { AddressInfo } from 'node:net'
import { type HttpBindings, serve } from '@hono/node-server'
import type { Context, Hono } from 'hono'

const LOOPBACK = '127.0.0.1'

/** An app of a local service: Node's own request and response are `c.env.incoming` and `c.env.outgoing`. */
export type ServiceApp = Hono<{ Bindings: HttpBindings }>

/** A request as the handlers see it. */
export type RequestContext = Context<{ Bindings: HttpBindings }>

/** As the real servers take: a `return_to` may hold a login challenge of several KiB, a query five hundred ids. */
const HEADER_BYTES_MAX = 64 * 1024

interface Listener {
  readonly url: string
  /** Resolves when no request is open any more; idle connections are cut. */
  close(): Promise<void>
}

/** Serves `app` on this machine only; port 0 takes a free one. Rejects when the port is taken. */
function listen(app: ServiceApp, port: number): Promise<Listener> {
  return new Promise((resolve, reject) => {
    const options = {
      fetch: app.fetch,
      port,
      hostname: LOOPBACK,
      serverOptions: { maxHeaderSize: HEADER_BYTES_MAX },
    }
    const server = serve(options, (address: AddressInfo) =>
      resolve({
        url: `http://${LOOPBACK}:${address.port}`,
        close: () =>
          new Promise<void>((done, fail) => {
            server.close(err => (err ? fail(err) : done()))
            if ('closeIdleConnections' in server) server.closeIdleConnections()
          }),
      }),
    )
    server.once('error', reject)
  })
}

/** Serves each app on its port, or none: where one is taken, the others and the database are let go again. */
export async function listenAll(
  db: { close(): Promise<void> },
  ports: readonly (readonly [app: ServiceApp, port: number])[],
): Promise<{ readonly urls: readonly string[]; close(): Promise<void> }> {
  const listeners: Listener[] = []
  const close = async () => {
    await Promise.all(listeners.map(listener => listener.close()))
    await db.close()
  }
  try {
    for (const [app, port] of ports) listeners.push(await listen(app, port))
  } catch (err) {
    await close()
    throw err
  }
  return { urls: listeners.map(({ url }) => url), close }
}

/** Runs a service as a process: ends it on SIGTERM and SIGINT, with exit code 1 when it could not start. */
export async function runService(start: () => Promise<{ close(): Promise<void> }>): Promise<void> {
  const service = await start()
  let isEnding = false
  const end = () => {
    if (isEnding) return
    isEnding = true
    service.close().then(
      () => process.exit(0),
      (err: unknown) => {
        console.error(err)
        process.exit(1)
      },
    )
  }
  process.once('SIGTERM', end)
  process.once('SIGINT', end)
}
