// Deletes a webhook for good: its row, the triggers that nobody else needs, and what waits in its object.

import { DomainError } from '../../errors.ts'
import { audited } from '../audit/audited.ts'
import type { Caller } from '../audit/caller.ts'
import type { WebhookFanouts } from './delivery/fanout-contract.ts'
import { parseId, webhookNotFound } from './webhook-id.ts'
import { toWebhook } from './webhook-record.ts'
import { deleteWebhookRow, findWebhook, type WebhookDatabase } from './webhook-store.ts'

export interface DeleteWebhookDeps {
  platform: WebhookDatabase
  fanouts: WebhookFanouts
}

/**
 * Deletes the webhook; events that were not delivered yet never are. Its log stays for its 30 days, but no endpoint
 * shows it. Throws `invalid_parameter`, `not_found`, `table_busy`, and `conflict` when it was changed in between.
 */
export async function deleteWebhook(deps: DeleteWebhookDeps, caller: Caller, idText: string): Promise<void> {
  const id = parseId('webhook', idText)
  const row = await findWebhook(deps.platform, id)
  if (row === undefined) throw webhookNotFound(id)
  const change = {
    targetKind: 'webhook',
    targetId: id,
    before: toWebhook(row),
  }
  await audited(deps, caller, change, async () => {
    if (!(await deleteWebhookRow(deps.platform, row))) throw changedMeanwhile()
    await tellFanout(deps.fanouts, id)
    return { result: undefined }
  })
}

async function tellFanout(fanouts: WebhookFanouts, id: string): Promise<void> {
  try {
    await fanouts.byId(id).removed()
  } catch {
    // The webhook is deleted: an object that could not be told finds no row when it next reads, and forgets everything.
  }
}

function changedMeanwhile(): DomainError {
  return new DomainError('conflict', 'The webhook was changed or deleted by somebody else in between.', {
    hint: 'Read it again and repeat the deletion.',
  })
}
