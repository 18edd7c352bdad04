// The owner's connections on Neon, whose proxy asks for the password in clear text over a WebSocket.

import { neonConfig } from '@neondatabase/serverless'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { makeOwnerConnections } from '../../../src/db/owner-connections.ts'

const message = (type: string, body: Buffer) => {
  const length = Buffer.alloc(4)
  length.writeInt32BE(body.length + 4)
  return Buffer.concat([Buffer.from(type), length, body])
}
const authentication = (kind: number) => message('R', Buffer.from([0, 0, 0, kind]))
const READY = message('Z', Buffer.from('I'))
const REFUSED = message(
  'E',
  Buffer.from('SFATAL\0VFATAL\0C53300\0Mremaining connection slots are reserved\0\0'),
)

/** How many connections are let in. */
let places = 0
let openSockets = 0

/** The server's end of a WebSocket, as far as a login goes. */
class ProxySocket extends EventTarget {
  binaryType = 'arraybuffer'
  readyState = 1
  #received = 0

  constructor() {
    super()
    openSockets += 1
    queueMicrotask(() => this.dispatchEvent(new Event('open')))
  }

  send(): void {
    this.#received += 1
    if (this.#received === 1) this.#say(authentication(3))
    // Behind the login comes the end of the session: no test asks anything.
    else if (this.#received > 2) this.close()
    else if (places-- > 0) this.#say(Buffer.concat([authentication(0), READY]))
    else {
      this.#say(REFUSED)
      this.close()
    }
  }

  close(): void {
    if (this.readyState === 3) return
    this.readyState = 3
    openSockets -= 1
    queueMicrotask(() => this.dispatchEvent(new Event('close')))
  }

  #say(bytes: Buffer): void {
    const data = new Uint8Array(bytes).buffer
    queueMicrotask(() => this.dispatchEvent(new MessageEvent('message', { data })))
  }
}

const { webSocketConstructor } = neonConfig
beforeAll(() => {
  neonConfig.webSocketConstructor = ProxySocket
})
afterAll(() => {
  neonConfig.webSocketConstructor = webSocketConstructor
})
beforeEach(() => {
  openSockets = 0
})

const connections = makeOwnerConnections({
  connectionString: 'postgres://owner:secret@ep-x.eu.neon.tech/quoin',
  gatewayUrl: undefined,
})

// A refusal came with the first statement, as if that had failed: 500.
it.each([0, 1])('of which %i are let in are a database that is not to be had', async given => {
  places = given
  let isCalled = false
  const run = connections(async () => {
    isCalled = true
  })
  await expect(run).rejects.toMatchObject({
    code: 'database_unavailable',
    cause: { code: '53300' },
    retryAfterSeconds: 5,
  })
  expect(isCalled).toBe(false)
  await expect.poll(() => openSockets).toBe(0)
})

it('are two that are closed behind the work', async () => {
  places = 2
  expect(await connections(async () => openSockets)).toBe(2)
  await expect.poll(() => openSockets).toBe(0)
})
