// Channels that come back read the log by themselves, a few at once. Of one client address fewer: who joins with places
// from long ago again and again holds up nobody but neighbours.

import { networkOf } from '../../src/features/api-keys/limit/network.ts'

const AT_ONCE_MAX = 4
const OF_ADDRESS_MAX = 2

interface Waiting {
  readonly network: string
  readonly start: () => void
}

export class ReplayTurns {
  readonly #running: string[] = []
  readonly #waiting: Waiting[] = []

  /** Runs `work` once there is a place for the client address, in the order of the calls. */
  async run(address: string, work: () => Promise<void>): Promise<void> {
    const network = networkOf(address)
    if (!this.#hasPlace(network)) await new Promise<void>(start => this.#waiting.push({ network, start }))
    else this.#running.push(network)
    try {
      await work()
    } finally {
      this.#running.splice(this.#running.indexOf(network), 1)
      const next = this.#waiting.findIndex(waiting => this.#hasPlace(waiting.network))
      for (const { network: taken, start } of next === -1 ? [] : this.#waiting.splice(next, 1)) {
        // Its place is taken before anybody else can ask.
        this.#running.push(taken)
        start()
      }
    }
  }

  #hasPlace(network: string): boolean {
    const own = this.#running.filter(one => one === network).length
    return this.#running.length < AT_ONCE_MAX && own < OF_ADDRESS_MAX
  }
}
