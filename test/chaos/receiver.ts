// The receiver of the chaos test: writes down what it took, in the order in which it took it. It can be closed, with
// the requests under way, and can answer 500. What it did not answer with 200 it has not taken.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import * as z from 'zod'
import type { Receipt } from './verdict.ts'

const Image = z.object({ id: z.number(), change: z.number() })
const Payload = z.object({
  event: z.enum(['INSERT', 'UPDATE', 'DELETE']),
  row: Image,
  old_row: Image.nullable(),
})

export class ChaosReceiver {
  /** All that it took, repeats too. */
  readonly receipts: Receipt[] = []
  readonly #known = new Set<string>()
  #server: Server | undefined
  #port = 0
  #isFailing = false
  #refused = 0

  get url(): string {
    return `http://127.0.0.1:${this.#port}/hook`
  }

  /** Different changes that it took. */
  get takenCount(): number {
    return this.#known.size
  }

  /** Requests that were answered with 500 since the start. */
  get refusedCount(): number {
    return this.#refused
  }

  /** Listens, on the port of before where there was one. */
  async open(): Promise<void> {
    const server = createServer((incoming, outgoing) => this.#take(incoming, outgoing))
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(this.#port, '127.0.0.1', resolve)
    })
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('a TCP server has a port')
    this.#port = address.port
    this.#server = server
  }

  /** Breaks off what is under way and refuses connections. */
  async close(): Promise<void> {
    const server = this.#server
    this.#server = undefined
    if (server === undefined) return
    const closed = new Promise(resolve => server.close(resolve))
    server.closeAllConnections()
    await closed
  }

  /** From now on, or no longer, everything is answered with 500. */
  fail(isFailing: boolean): void {
    this.#isFailing = isFailing
  }

  #take(incoming: IncomingMessage, outgoing: ServerResponse): void {
    let body = ''
    incoming.on('error', () => {
      // Broken off: by us, or by a sender that was killed.
    })
    incoming.setEncoding('utf8').on('data', (part: string) => {
      body += part
    })
    incoming.on('end', () => {
      if (this.#isFailing) this.#refused += 1
      else this.#keep(String(incoming.headers['webhook-id']), body)
      outgoing.writeHead(this.#isFailing ? 500 : 200).end()
    })
  }

  #keep(webhookId: string, body: string): void {
    const { event, row, old_row } = Payload.parse(JSON.parse(body))
    const keys = [...new Set([row.id, old_row?.id ?? row.id])]
    this.receipts.push({ webhookId, name: `${event} ${row.change}`, keys })
    this.#known.add(`${event} ${row.change}`)
  }
}
