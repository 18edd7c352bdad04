// A thin HTTP proxy in front of the SQL gateway that counts what passes: a call's trips to the database.

import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'

export interface CountingGateway extends AsyncDisposable {
  /** To be the Worker's SQL_GATEWAY_URL. */
  readonly url: string
  /** Requests that have arrived until now. */
  readonly count: number
  /** Their bodies, in the order in which they were complete. */
  readonly bodies: readonly string[]
  close(): Promise<void>
}

/**
 * Starts the proxy on a free port; `target` is the gateway's address. Passes everything on unchanged, errors
 * included.
 */
export async function startCountingGateway(target: string): Promise<CountingGateway> {
  let count = 0
  const bodies: string[] = []
  const server = createServer((incoming, outgoing) => {
    count += 1
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const body = Buffer.concat(chunks)
      bodies.push(body.toString('utf8'))
      passOn(new URL(incoming.url ?? '/', target), body, incoming, outgoing)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port')
  const close = async () => {
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  }
  return {
    url: `http://127.0.0.1:${address.port}`,
    get count() {
      return count
    },
    bodies,
    close,
    [Symbol.asyncDispose]: close,
  }
}

function passOn(url: URL, body: Buffer, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const headers = { ...incoming.headers, host: url.host }
  const forwarded = request(url, { method: incoming.method ?? 'GET', headers }, answer => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(outgoing)
  })
  forwarded.on('error', err => {
    outgoing.writeHead(502)
    outgoing.end(err.message)
  })
  // A caller that hangs up must cancel its query behind the proxy too.
  outgoing.on('close', () => forwarded.destroy())
  forwarded.end(body)
}
