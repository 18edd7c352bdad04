// What an isolate remembers of the OAuth2 server's public documents, so that callers without a credential cannot make
// it ask for each request. Values are kept, never promises: one request must not wait for another's fetch.

import type { Upstream } from '../../../clients/http.ts'
import {
  type DiscoveryDocument,
  fetchDiscovery,
  fetchPublicKeys,
  type PublicKeySet,
} from '../../../clients/oauth-server/documents.ts'

export interface PublicDocumentsDeps {
  oauthPublic: Upstream
  now: () => Date
}

/** Changes with the server's configuration only. */
const DISCOVERY_KEPT_MS = 60_000
/**
 * Short: a new key signs at once, and whoever verifies asks here for a `kid` that he does not know. Libraries ask once
 * and then not for half a minute, so an answer that is too old costs as long.
 */
const PUBLIC_KEYS_KEPT_MS = 1_000

/**
 * The discovery document and the public keys, each asked for when the one that is kept is too old. Failures are not
 * kept.
 */
export class PublicDocuments {
  readonly #deps: PublicDocumentsDeps
  #discovery: Kept<DiscoveryDocument> | undefined
  #publicKeys: Kept<PublicKeySet> | undefined

  constructor(deps: PublicDocumentsDeps) {
    this.#deps = deps
  }

  /** Throws the `upstream_*` errors and `not_configured`. */
  async discovery(): Promise<DiscoveryDocument> {
    const kept = this.#fresh(this.#discovery)
    if (kept !== undefined) return kept
    const value = await fetchDiscovery(this.#deps.oauthPublic)
    this.#discovery = { value, until: this.#now() + DISCOVERY_KEPT_MS }
    return value
  }

  /** Throws the `upstream_*` errors and `not_configured`. */
  async publicKeys(): Promise<PublicKeySet> {
    const kept = this.#fresh(this.#publicKeys)
    if (kept !== undefined) return kept
    const value = await fetchPublicKeys(this.#deps.oauthPublic)
    this.#publicKeys = { value, until: this.#now() + PUBLIC_KEYS_KEPT_MS }
    return value
  }

  /**
   * To be called after a change of keys: this isolate asks again. Both, since discovery names the newest key's
   * algorithm.
   */
  forget(): void {
    this.#discovery = undefined
    this.#publicKeys = undefined
  }

  #fresh<Value>(kept: Kept<Value> | undefined): Value | undefined {
    return kept !== undefined && this.#now() < kept.until ? kept.value : undefined
  }

  #now(): number {
    return this.#deps.now().getTime()
  }
}

interface Kept<Value> {
  value: Value
  /** Milliseconds since 1970. */
  until: number
}
