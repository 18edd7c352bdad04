// Whose applications' users count: where the deployment names an owner of clients, an access token of another owner's client
// is none here, be it a JWT or opaque. The OAuth2 server is asked, and its good answer kept for a minute.

import type { Upstream } from '../../../clients/http.ts'
import { getClient } from '../../../clients/oauth-server/clients.ts'
import { BoundedMap } from '../../../lib/bounded-map.ts'
import { isOwnClient, type OwnerConfig } from '../clients/own-client.ts'

/** A client that changes its owner counts at most so much longer. */
const ANSWER_FRESH_MS = 60_000
const CLIENTS_REMEMBERED_MAX = 1_000

export interface TokenClientRules {
  config: OwnerConfig
  oauthAdmin: Upstream
  now: () => Date
}

/** The clients of ours that tokens may come from. One isolate's memory; only good answers are kept. */
export class TokenClients {
  readonly #rules: TokenClientRules
  readonly #knownUntilMs = new BoundedMap<string, number>(CLIENTS_REMEMBERED_MAX)

  constructor(rules: TokenClientRules) {
    this.#rules = rules
  }

  /** Whether the client is ours. Without an owner all are, and nobody is asked. Throws the `upstream_*` errors and `not_configured`. */
  async includes(clientId: string): Promise<boolean> {
    const { config, oauthAdmin, now } = this.#rules
    if (config.oauthClientOwner === undefined) return true
    const nowMs = now().getTime()
    if (nowMs < (this.#knownUntilMs.get(clientId) ?? 0)) return true
    this.#knownUntilMs.delete(clientId)
    const client = await getClient(oauthAdmin, clientId)
    if (client === undefined || !isOwnClient(config, client)) return false
    this.#knownUntilMs.set(clientId, nowMs + ANSWER_FRESH_MS)
    return true
  }
}
