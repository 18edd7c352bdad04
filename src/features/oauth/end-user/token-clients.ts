// Whose applications' users count: where the deployment names an owner of clients, an access token of another owner's
// client is none here, be it a JWT or opaque. The OAuth2 server is asked, and its good answer kept for a minute.

import type { Upstream } from '../../../clients/http.ts'
import { getClient } from '../../../clients/oauth-server/clients.ts'
import { type Answer, FreshAnswers, NOT_KEPT } from '../../../lib/fresh-answers.ts'
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
  readonly #answers: FreshAnswers<boolean>

  constructor(rules: TokenClientRules) {
    this.#rules = rules
    const { now } = rules
    this.#answers = new FreshAnswers({ freshMs: ANSWER_FRESH_MS, sizeMax: CLIENTS_REMEMBERED_MAX, now })
  }

  /**
   * Whether the client is ours. Without an owner all are, and nobody is asked. Throws the `upstream_*` errors and
   * `not_configured`.
   */
  async includes(clientId: string): Promise<boolean> {
    if (this.#rules.config.oauthClientOwner === undefined) return true
    return this.#answers.get(clientId, () => this.#ask(clientId))
  }

  async #ask(clientId: string): Promise<Answer<boolean>> {
    const { config, oauthAdmin } = this.#rules
    const client = await getClient(oauthAdmin, clientId)
    const isOurs = client !== undefined && isOwnClient(config, client)
    return { value: isOurs, endsMs: isOurs ? undefined : NOT_KEPT }
  }
}
