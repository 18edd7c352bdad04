// The OAuth2 server's public keys as an isolate keeps them for verifying tokens. A key signs from the moment that it is
// made. So a token is refused for its key only by a set that was read after the token came. Made-up key ids must not
// make this service ask for each of them: reads begin a second apart, and who waits takes part in the next one.
// Requests wait for the value by their own timers, never for a promise: one that is given up takes its fetch with it.

import { createLocalJWKSet, flattenedVerify, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose'
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

/** The published keys, as a token asks for them. */
export interface TokenKeySource {
  /**
   * The key that the token names. Throws jose's `JWKSNoMatchingKey` where that one is not known, and
   * `JWKSMultipleMatchingKeys` where it may be several.
   */
  find: JWTVerifyGetKey
  /**
   * For a token that its named key does not verify: whichever published key does. Hydra signs refreshed tokens with its
   * newest key, and goes on naming the one of the sign-in. Where none verifies it, as `find`, or the named key.
   */
  findSigner: JWTVerifyGetKey
}

interface Kept {
  find: JWTVerifyGetKey
  /** Each key by itself, the newest first. */
  each: readonly JWTVerifyGetKey[]
  /** The number of its read. */
  read: number
  untilMs: number
}

/** One isolate's memory of the key set. Its methods throw what `fetchKeys` throws, too. */
export class TokenKeys implements TokenKeySource {
  readonly #deps: TokenKeysDeps
  #kept: Kept | undefined
  #readsBegun = 0
  #nextReadMs = Number.NEGATIVE_INFINITY
  #failures = 0
  #lastFailure: unknown

  constructor(deps: TokenKeysDeps) {
    this.#deps = deps
  }

  readonly find: JWTVerifyGetKey = async (...asked) => (await this.#keys()).find(...asked)

  /** Takes up to a second, and the read, where no key that is known yet verifies the token. */
  readonly findSigner: JWTVerifyGetKey = async (...asked) => {
    const readsBegun = this.#readsBegun
    for (let lookedInto = 0; ; ) {
      const kept = await this.#keys(lookedInto)
      const key = await signerAmong(kept, asked)
      if (key !== undefined) return key
      if (kept.read > readsBegun) return await kept.find(...asked)
      lookedInto = kept.read
    }
  }

  /** The keys of a read with a greater number than this; of any that still counts, unless said. */
  async #keys(laterThan = 0): Promise<Kept> {
    const failures = this.#failures
    for (;;) {
      const kept = this.#kept
      if (kept !== undefined && kept.read > laterThan && this.#deps.nowMs() < kept.untilMs) return kept
      if (this.#failures > failures) throw this.#lastFailure
      const pauseMs = this.#nextReadMs - this.#deps.nowMs()
      if (pauseMs > 0) await this.#deps.wait(Math.min(pauseMs, LOOK_EVERY_MS))
      else await this.#read()
    }
  }

  async #read(): Promise<void> {
    const beganMs = this.#deps.nowMs()
    const read = ++this.#readsBegun
    this.#nextReadMs = beganMs + READS_APART_MS
    try {
      const { keys } = (await this.#deps.fetchKeys()) as JSONWebKeySet
      const [find, each] = [createLocalJWKSet({ keys }), keys.map(key => createLocalJWKSet({ keys: [key] }))]
      // Of two that overlap the later one is newer, whichever comes back first.
      if (this.#kept === undefined || this.#kept.read < read)
        this.#kept = { find, each, read, untilMs: beganMs + KEPT_MS }
    } catch (cause) {
      this.#failures++
      this.#lastFailure = cause
      throw cause
    }
  }
}

/** The key among these that verifies the token, whatever key the token names. */
async function signerAmong({ each }: Kept, [header, token]: Parameters<JWTVerifyGetKey>) {
  const { kid: _named, ...unnamed } = header ?? {}
  for (const find of each) {
    try {
      const key = await find(unnamed, token)
      await flattenedVerify(token, key)
      return key
    } catch {
      // It is another's signature, or a key that this runtime cannot use: the next one may verify the token.
    }
  }
  return undefined
}
