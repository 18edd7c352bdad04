// Sends bodies to a webhook's receiver. Opens the webhook's secret and its headers' values once for each version of it.

import type { Config } from '../../src/config.ts'
import { type AttemptResult, failed, sendAttempt } from '../../src/features/webhooks/delivery/send-attempt.ts'
import { type SigningKeys, signingKeysOf } from '../../src/features/webhooks/delivery/signatures.ts'
import type { WebhookRow } from '../../src/features/webhooks/delivery/webhook-row.ts'
import { headerSealName, makeSecretBox, type SecretBox } from '../../src/features/webhooks/secret-box.ts'
import { makeTargetGuard, type TargetGuard } from '../../src/features/webhooks/target-guard.ts'
import type { Deadline } from '../../src/lib/deadline.ts'
import { targetRulesOf } from '../../src/lib/target-address.ts'
import { encodeUtf8 } from '../../src/lib/utf8.ts'

export interface OutgoingBody {
  webhookId: string
  text: string
  extraHeaders: Readonly<Record<string, string>>
}

// Looked up at each call: tests put a fetch of their own in its place.
const callFetch: typeof fetch = (...args) => fetch(...args)
const nowMs = () => Date.now()

/** What a webhook's row has sealed. */
interface Opened {
  /** Undefined: the webhook has no secret. */
  keys: SigningKeys | undefined
  headers: Record<string, string>
}

export class WebhookSender {
  readonly #deadline: Deadline
  readonly #guard: TargetGuard
  readonly #box: SecretBox | undefined
  #opened: { version: number; opening: Promise<Opened> } | undefined

  constructor(config: Config, deadline: Deadline) {
    this.#deadline = deadline
    this.#guard = makeTargetGuard({ rules: targetRulesOf(config), fetch: callFetch, nowMs })
    this.#box = config.secretsKey === undefined ? undefined : makeSecretBox(config.secretsKey)
  }

  /**
   * Sends it once. What cannot be opened fails the attempt: nothing goes out unsigned that should be signed, or without
   * the credential that its receiver wants.
   */
  async send(webhook: WebhookRow, { webhookId, text, extraHeaders }: OutgoingBody): Promise<AttemptResult> {
    let opened: Opened
    try {
      opened = await this.#open(webhook)
    } catch {
      return failed('secret_unreadable', 0)
    }
    return await sendAttempt(
      { fetch: callFetch, guard: this.#guard, deadline: this.#deadline, nowMs },
      {
        url: webhook.url,
        customHeaders: opened.headers,
        keys: opened.keys,
        webhookId,
        body: encodeUtf8(text),
        extraHeaders,
      },
    )
  }

  #open(webhook: WebhookRow): Promise<Opened> {
    if (this.#opened?.version !== webhook.version) {
      this.#opened = { version: webhook.version, opening: openAll(this.#box, webhook) }
    }
    return this.#opened.opening
  }
}

async function openAll(box: SecretBox | undefined, webhook: WebhookRow): Promise<Opened> {
  const open = async (name: string, sealed: string) => {
    if (box === undefined) throw new Error('SECRETS_KEY is not set')
    return await box.open(name, sealed)
  }
  const { id, secret_encrypted, headers_encrypted } = webhook
  const headers = Object.entries(headers_encrypted).map(async ([name, sealed]) => {
    return [name, await open(headerSealName(id, name), sealed)] as const
  })
  return {
    headers: Object.fromEntries(await Promise.all(headers)),
    keys: secret_encrypted === null ? undefined : await signingKeysOf(await open(id, secret_encrypted)),
  }
}
