// Makes a webhook: its row and the triggers of its table, both or neither. Its object comes to be with its first event.

import { DomainError } from '../../errors.ts'
import { audited } from '../audit/audited.ts'
import type { Caller } from '../audit/caller.ts'
import { findWatchableTable } from '../row-changes/watching/find-table.ts'
import { type TargetDeps, usableTarget } from './check-target.ts'
import type { Webhook, WebhookIn } from './schemas.ts'
import { type SecretDeps, sealHeaders, sealSecret } from './seal-secret.ts'
import { toWebhook } from './webhook-record.ts'
import { insertWebhook, type WebhookDatabase } from './webhook-store.ts'

export interface CreateWebhookDeps extends TargetDeps, SecretDeps {
  platform: WebhookDatabase
}

/**
 * Creates a webhook; every change that commits after the answer reaches it. Throws `validation_failed` for a URL that
 * may not be sent to, `table_not_watchable`, `table_busy`, and `not_configured` for a secret or headers without
 * SECRETS_KEY.
 */
export async function createWebhook(
  deps: CreateWebhookDeps,
  caller: Caller,
  input: WebhookIn,
): Promise<Webhook> {
  const { secret = null, headers, ...fields } = input
  const url = await usableTarget(deps, fields.url)
  const id = crypto.randomUUID()
  const secret_encrypted = await sealSecret(deps, id, secret)
  const headers_encrypted = await sealHeaders(deps, id, headers)
  const table_id = await findWatchableTable(deps, fields)
  return await audited(deps, caller, { targetKind: 'webhook', targetId: id }, async () => {
    const row = await insertWebhook(deps.platform, id, {
      ...fields,
      url,
      table_id,
      headers_encrypted,
      secret_encrypted,
    })
    if (row === undefined) throw tableGone(fields.table_name)
    const result = toWebhook(row)
    return { result, after: result }
  })
}

function tableGone(name: string): DomainError {
  return new DomainError('table_not_watchable', `body.table_name: the table "${name}" was dropped just now.`)
}
