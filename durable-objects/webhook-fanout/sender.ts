// Sends bodies to a webhook's receiver. Opens the webhook's secret once and keeps the keys that it gives.

import type { Config } from '../../src/config.ts'
import { type AttemptResult, failed, sendAttempt } from '../../src/features/webhooks/delivery/send-attempt.ts'
import { type SigningKeys, signingKeysOf } from '../../src/features/webhooks/delivery/signatures.ts'
import type { WebhookRow } from '../../src/features/webhooks/delivery/webhook-row.ts'
import { makeSecretBox, type SecretBox } from '../../src/features/webhooks/secret-box.ts'
import { hostsOf } from '../../src/features/webhooks/target-address.ts'
import { makeTargetGuard, type TargetGuard } from '../../src/features/webhooks/target-guard.ts'
import type { Deadline } from '../../src/lib/deadline.ts'
import { encodeUtf8 } from '../../src/lib/utf8.ts'

export interface OutgoingBody {
  webhookId: string
  text: string
  extraHeaders: Readonly<Record<string, string>>
}

// Looked up at each call: tests put a fetch of their own in its place.
const callFetch: typeof fetch = (...args) => fetch(...args)
const nowMs = () => Date.now()

export class WebhookSender {
  readonly #deadline: Deadline
  readonly #guard: TargetGuard
  readonly #box: SecretBox | undefined
  #keys: { sealed: string; opened: Promise<SigningKeys> } | undefined

  constructor(config: Config, deadline: Deadline) {
    this.#deadline = deadline
    const rules = {
      allowPrivate: config.allowPrivateWebhookTargets,
      ownHosts: hostsOf([config.baseUrl, config.dashboardUrl]),
    }
    this.#guard = makeTargetGuard({ rules, fetch: callFetch, nowMs })
    this.#box = config.secretsKey === undefined ? undefined : makeSecretBox(config.secretsKey)
  }

  /**
   * Sends it once. A secret that cannot be opened fails the attempt: nothing goes out unsigned that should be signed.
   */
  async send(webhook: WebhookRow, { webhookId, text, extraHeaders }: OutgoingBody): Promise<AttemptResult> {
    let keys: SigningKeys | undefined
    try {
      keys = await this.#keysOf(webhook)
    } catch {
      return failed('secret_unreadable', 0)
    }
    return await sendAttempt(
      { fetch: callFetch, guard: this.#guard, deadline: this.#deadline, nowMs },
      {
        url: webhook.url,
        customHeaders: webhook.headers,
        keys,
        webhookId,
        body: encodeUtf8(text),
        extraHeaders,
      },
    )
  }

  #keysOf({ id, secret_encrypted: sealed }: WebhookRow): Promise<SigningKeys> | undefined {
    if (sealed === null) return undefined
    if (this.#keys?.sealed !== sealed) this.#keys = { sealed, opened: this.#open(id, sealed) }
    return this.#keys.opened
  }

  async #open(id: string, sealed: string): Promise<SigningKeys> {
    if (this.#box === undefined) throw new Error('SECRETS_KEY is not set')
    return await signingKeysOf(await this.#box.open(id, sealed))
  }
}
