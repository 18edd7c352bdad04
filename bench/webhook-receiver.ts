// A receiver that answers at once and remembers when each change arrived first, by the id of its row.

import { createServer, type Server } from 'node:http'

export class BenchReceiver {
  readonly url: string
  readonly #server: Server
  readonly #arrivals = new Map<number, number>()

  private constructor(server: Server, port: number) {
    this.#server = server
    this.url = `http://127.0.0.1:${port}/hook`
    server.on('request', (incoming, outgoing) => {
      let body = ''
      incoming.setEncoding('utf8').on('data', (part: string) => {
        body += part
      })
      incoming.on('end', () => {
        const atMs = performance.now()
        outgoing.end()
        // Parsing JSON would take from the processors that are measured.
        const id = Number(/"row":\{"id":(\d+)/.exec(body)?.[1])
        if (!this.#arrivals.has(id)) this.#arrivals.set(id, atMs)
      })
    })
  }

  /** Listens on a free port of this machine. */
  static async open(): Promise<BenchReceiver> {
    const server = createServer()
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('a TCP server has a port')
    return new BenchReceiver(server, address.port)
  }

  /** Different rows that have arrived. */
  get count(): number {
    return this.#arrivals.size
  }

  /** When the row arrived, by performance.now(); undefined: not yet. */
  arrivalOf(id: number): number | undefined {
    return this.#arrivals.get(id)
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise(resolve => this.#server.close(resolve))
  }
}
