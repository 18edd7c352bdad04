// A proxy before Postgres that makes each COMMIT a ROLLBACK, as Postgres does after an error that its client has not noticed.

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { Transform } from 'node:stream'
import { onTestFinished } from 'vitest'

/** The message of the simple protocol: a length of 11, the statement, a zero. `abort` is Postgres' own synonym, as long with a blank. */
const COMMIT = Buffer.from('Q\0\0\0\x0bcommit\0')
const ABORT = Buffer.from('Q\0\0\0\x0babort \0')

export interface AbortingProxy {
  /** The connection string through the proxy. */
  readonly url: string
  /** How many transactions were taken back so far. */
  aborted(): number
  /** From now on COMMIT is COMMIT. */
  letThrough(): void
}

/** Closed after the test. The client must send its COMMIT in a packet of its own, as `pg` does. */
export async function abortingProxy(databaseUrl: string): Promise<AbortingProxy> {
  const target = new URL(databaseUrl)
  let aborted = 0
  let isAborting = true
  const clients = new Set<Socket>()
  const server = createServer(client => {
    const upstream = connect(Number(target.port), target.hostname)
    const abort = new Transform({
      transform(bytes: Buffer, _encoding, done) {
        const isCommit = isAborting && bytes.equals(COMMIT)
        if (isCommit) aborted += 1
        done(null, isCommit ? ABORT : bytes)
      },
    })
    for (const socket of [client, upstream]) socket.on('error', () => undefined)
    client.pipe(abort).pipe(upstream).pipe(client)
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => client.destroy())
    clients.add(client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    for (const client of clients) client.destroy()
  })
  const url = new URL(databaseUrl)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    aborted: () => aborted,
    letThrough: () => {
      isAborting = false
    },
  }
}
