// An application's own HTTP server, with or without TLS: takes what is sent to it, and lets a test wait for it.

import { readFileSync } from 'node:fs'
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { waitUntil } from '../../cli/support/wait.ts'

export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

export interface Receiver extends AsyncDisposable {
  readonly url: string
  readonly received: readonly Received[]
  /** The first request that `matches`, as soon as it is there; throws after half a minute. */
  waitFor(matches: (request: Received) => boolean): Promise<Received>
}

/** Ends the answer when and how it wants to; for receivers that fail, drip or never stop. */
export type Respond = (request: Received, answer: ServerResponse) => void

/**
 * Which of test/support/certificates a server shows; the stack of the tests trusts the authority behind all but one.
 */
export type Certificate = 'valid' | 'self-signed' | 'expired' | 'other-host'

export interface SecureReceiver extends Receiver {
  /** Shows this one from the next connection on. */
  show(certificate: Certificate): void
}

const answerOk: Respond = (_, answer) => {
  answer.end()
}

/** Listens on a free port of this machine; answers everything with 200 unless told otherwise. */
export function startReceiver(respond: Respond = answerOk): Promise<Receiver> {
  const received: Received[] = []
  return listen(createServer(record(received, respond)), received, 'http://127.0.0.1')
}

/** As `startReceiver`, over TLS as `localhost`. */
export async function startSecureReceiver(certificate: Certificate): Promise<SecureReceiver> {
  const received: Received[] = []
  const server = createSecureServer(identity(certificate), record(received, answerOk))
  const receiver = await listen(server, received, 'https://localhost')
  return { ...receiver, show: other => server.setSecureContext(identity(other)) }
}

function identity(certificate: Certificate): { key: Buffer; cert: Buffer } {
  const read = (name: string) => readFileSync(new URL(`certificates/${name}.pem`, import.meta.url))
  return { key: read('key'), cert: read(certificate) }
}

function record(received: Received[], respond: Respond): RequestListener {
  return (incoming, outgoing) => {
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
  }
}

async function listen(
  server: Pick<Server, 'listen' | 'address' | 'close' | 'closeAllConnections'>,
  received: readonly Received[],
  origin: string,
): Promise<Receiver> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port')
  return {
    url: `${origin}:${address.port}`,
    received,
    waitFor: matches =>
      waitUntil({ what: 'the receiver is called', deadlineMs: 30_000 }, async () => received.find(matches)),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
