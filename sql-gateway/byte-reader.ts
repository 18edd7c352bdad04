/**
 * Owns reading exact numbers of bytes from a stream that goes on to be piped; what was not asked for stays in it.
 * One listener for the whole time: adding one anew while a part of the bytes is there would wake at once, forever.
 */
import type { Duplex } from 'node:stream'

const EVENTS = ['readable', 'end', 'close', 'error']

export class ByteReader {
  readonly #stream: Duplex
  readonly #wake = (): void => this.#resolve?.()
  #resolve: (() => void) | undefined

  constructor(stream: Duplex) {
    this.#stream = stream
    for (const event of EVENTS) stream.on(event, this.#wake)
  }

  /** Exactly this many bytes; rejects when the stream ends before. */
  async read(bytes: number): Promise<Buffer> {
    for (;;) {
      const chunk = this.#stream.read(bytes) as Buffer | null
      if (chunk?.length === bytes) return chunk
      const isOver = chunk !== null || this.#stream.readableEnded || this.#stream.destroyed
      if (isOver) throw new Error('the stream ended within a message')
      await new Promise<void>(resolve => {
        this.#resolve = resolve
      })
    }
  }

  /** Lets go of the stream. */
  release(): void {
    for (const event of EVENTS) this.#stream.off(event, this.#wake)
  }
}
