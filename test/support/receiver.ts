// An application's own HTTP server: takes what the OAuth2 server sends it, and lets a test wait for it.

import { createServer, type ServerResponse } from 'node:http'
import { waitUntil } from '../../local/wait.ts'

export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

export interface Receiver extends AsyncDisposable {
  readonly url: string
  readonly received: readonly Received[]
  /** The first request that `matches`, as soon as it is there; throws after ten seconds. */
  waitFor(matches: (request: Received) => boolean): Promise<Received>
}

/** Ends the answer when and how it wants to; for receivers that fail, drip or never stop. */
export type Respond = (request: Received, answer: ServerResponse) => void

/** Listens on a free port of this machine; answers everything with 200 unless told otherwise. */
export async function startReceiver(
  respond: Respond = (_, answer) => {
    answer.end()
  },
): Promise<Receiver> {
  const received: Received[] = []
  const server = createServer((incoming, outgoing) => {
    let body = ''
    incoming.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk
    })
    incoming.on('end', () => {
      const request = {
        method: incoming.method ?? '',
        path: incoming.url ?? '',
        headers: incoming.headers,
        body,
      }
      received.push(request)
      respond(request, outgoing)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    received,
    waitFor: matches =>
      waitUntil({ what: 'the receiver is called', deadlineMs: 10_000 }, async () => received.find(matches)),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
