// Sends again what a webhook's receiver has missed since a time: what was given up, and what waits for its next
// attempt.

import { type AuditDeps, audited } from '../audit/audited.ts'
import type { Caller } from '../audit/caller.ts'
import type { WebhookFanouts } from './delivery/fanout-contract.ts'
import type { Queued, ReplaySince } from './delivery-schemas.ts'
import { type ReadWebhookDeps, readWebhook } from './list-webhooks.ts'

export interface ReplayFailedDeps extends ReadWebhookDeps, AuditDeps {
  fanouts: WebhookFanouts
}

/**
 * Has everything tried again that has failed since that time and was not delivered (Decision 130), and answers how
 * much that is. Deliveries follow by themselves, of a paused webhook when it is resumed. Throws `invalid_parameter`,
 * `not_found`.
 */
export async function replayFailedSince(
  deps: ReplayFailedDeps,
  caller: Caller,
  idText: string,
  body: ReplaySince,
): Promise<Queued> {
  const { id } = await readWebhook(deps, idText)
  const since = new Date(body.since).toISOString()
  const change = { targetKind: 'webhook', targetId: id, before: { since } }
  return await audited(deps, caller, change, async () => {
    const result = { queued: await deps.fanouts.byId(id).replayFailed(since) }
    return { result, after: result }
  })
}
