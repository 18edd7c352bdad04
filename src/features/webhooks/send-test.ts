// Sends an example payload to a webhook's URL, also while it is paused. The answer says how the receiver took it.

import { type AuditDeps, audited } from '../audit/audited.ts'
import type { Caller } from '../audit/caller.ts'
import type { DeliveryAttempt, WebhookFanouts } from './delivery/fanout-contract.ts'
import type { Attempt } from './delivery-schemas.ts'
import { readWebhook } from './list-webhooks.ts'
import { webhookNotFound } from './webhook-id.ts'

export interface SendOnceDeps extends AuditDeps {
  fanouts: WebhookFanouts
}

/**
 * Sends one test, logged as TEST; a receiver that fails is an answer, no error. Throws `invalid_parameter`,
 * `not_found`.
 */
export async function sendTest(deps: SendOnceDeps, caller: Caller, idText: string): Promise<Attempt> {
  const { id } = await readWebhook(deps, idText)
  const change = { targetKind: 'webhook', targetId: id }
  return await audited(deps, caller, change, async () => sentOnce(id, await deps.fanouts.byId(id).sendTest()))
}

/**
 * What the caller and the audit log are told of one attempt. Throws `not_found` where there was no webhook to make
 * it.
 */
export function sentOnce(
  webhookId: string,
  attempt: DeliveryAttempt | undefined,
): { result: Attempt; after: unknown } {
  if (attempt === undefined) throw webhookNotFound(webhookId)
  const { ok, status_code, error, log_id } = attempt
  return { result: attempt, after: { ok, status_code, error, log_id } }
}
