// The OAuth2 server's public keys as an isolate keeps them for verifying tokens. A key signs from the moment that it is
// made. So a token is refused for its key only by a set that was read after the token came. Made-up key ids must not
// make this service ask for each of them: reads begin a second apart, and who waits takes part in the next one.
// Requests wait for the value by their own timers, never for a promise: one that is given up takes its fetch with it.

import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'
import type { PublicKeySet } from '../../../clients/oauth-server/documents.ts'

/** How long a set counts: a key that was deleted verifies at most so much longer. */
const KEPT_MS = 60_000
/** From the beginning of one read to that of the next. */
const READS_APART_MS = 1_000
/** How often a request looks whether the read of another has come back. */
const LOOK_EVERY_MS = 20

export interface TokenKeysDeps {
  /** The public keys as they are now. */
  fetchKeys: () => Promise<PublicKeySet>
  nowMs: () => number
  /** Milliseconds. */
  wait: (milliseconds: number) => Promise<void>
}

interface Kept {
  find: JWTVerifyGetKey
  /** The number of its read. */
  read: number
  untilMs: number
}

/** What a request found when it came. */
interface Arrival {
  readsBegun: number
  failures: number
}

/** One isolate's memory of the key set. */
export class TokenKeys {
  readonly #deps: TokenKeysDeps
  #kept: Kept | undefined
  #readsBegun = 0
  #nextReadMs = Number.NEGATIVE_INFINITY
  #failures = 0
  #lastFailure: unknown

  constructor(deps: TokenKeysDeps) {
    this.#deps = deps
  }

  /**
   * The key of a token. Throws jose's `JWKSNoMatchingKey` where the server has none for it now, and what `fetchKeys`
   * throws. Takes up to a second, and the read, for a key that is not known yet.
   */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    const arrival = { readsBegun: this.#readsBegun, failures: this.#failures }
    for (;;) {
      const key = await this.#findKept(arrival, header, token)
      if (key !== undefined) return key
      if (this.#failures > arrival.failures) throw this.#lastFailure
      const pauseMs = this.#nextReadMs - this.#deps.nowMs()
      if (pauseMs > 0) await this.#deps.wait(Math.min(pauseMs, LOOK_EVERY_MS))
      else await this.#read()
    }
  }

  /** Undefined when the kept set is too old, or lacks the key and may be older than it. */
  async #findKept({ readsBegun }: Arrival, ...asked: Parameters<JWTVerifyGetKey>) {
    const kept = this.#kept
    if (kept === undefined || this.#deps.nowMs() >= kept.untilMs) return undefined
    try {
      return await kept.find(...asked)
    } catch (err) {
      if (err instanceof errors.JWKSNoMatchingKey && kept.read <= readsBegun) return undefined
      throw err
    }
  }

  async #read(): Promise<void> {
    const beganMs = this.#deps.nowMs()
    const read = ++this.#readsBegun
    this.#nextReadMs = beganMs + READS_APART_MS
    try {
      const find = createLocalJWKSet((await this.#deps.fetchKeys()) as JSONWebKeySet)
      // Of two that overlap the later one is newer, whichever comes back first.
      if (this.#kept === undefined || this.#kept.read < read)
        this.#kept = { find, read, untilMs: beganMs + KEPT_MS }
    } catch (cause) {
      this.#failures++
      this.#lastFailure = cause
      throw cause
    }
  }
}
