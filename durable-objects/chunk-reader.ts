// Reads the body of one request to a resumable upload, and knows whether its sender has gone silent: a connection that
// died is not always told, and whoever comes back must not wait for it.

import type { Deadline } from '../src/lib/deadline.ts'

const READ_BYTES = 64 * 1024
/** Nothing came for so long: the sender is gone. */
const SILENCE_MAX_MS = 60_000

/** The body did not come to its end. */
export class BodyBrokeOff extends Error {
  override name = 'BodyBrokeOff'
}

export class ChunkReader {
  readonly #reader: ReadableStreamBYOBReader | undefined
  readonly #deadline: Deadline
  readonly #over = Promise.withResolvers<void>()
  #buffer = new Uint8Array(READ_BYTES)
  #readingSinceMs: number | undefined
  #isEnded = false

  constructor(body: ReadableStream<Uint8Array> | null, deadline: Deadline) {
    this.#reader = body?.getReader({ mode: 'byob' })
    this.#deadline = deadline
  }

  /** The next bytes, valid until the next call; undefined at the end. Throws `BodyBrokeOff`. */
  async read(): Promise<Uint8Array | undefined> {
    if (this.#reader === undefined) return undefined
    this.#readingSinceMs = Date.now()
    try {
      const { done, value } = await this.#deadline(SILENCE_MAX_MS, this.#reader.read(this.#buffer))
      if (this.#isEnded) throw new BodyBrokeOff('another request came')
      if (done || value === undefined) return undefined
      this.#buffer = new Uint8Array(value.buffer)
      return value
    } catch (cause) {
      throw new BodyBrokeOff('the body broke off', { cause })
    } finally {
      this.#readingSinceMs = undefined
    }
  }

  /** Whether the sender has been waited for so long. */
  isSilentFor(milliseconds: number): boolean {
    return this.#readingSinceMs !== undefined && Date.now() - this.#readingSinceMs >= milliseconds
  }

  /** What is being read ends as broken off. */
  end(): void {
    this.#isEnded = true
    this.#reader?.cancel().catch(() => undefined)
  }

  /** Resolves when the request has stored what it had. */
  get over(): Promise<void> {
    return this.#over.promise
  }

  close(): void {
    this.end()
    this.#over.resolve()
  }
}
