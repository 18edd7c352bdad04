// Changes a webhook, pauses and resumes it. Its object is told at once; one that cannot be told reads the row by
// itself.

import { DomainError } from '../../errors.ts'
import { audited } from '../audit/audited.ts'
import type { Caller } from '../audit/caller.ts'
import { findWatchableTable } from '../row-changes/watching/find-table.ts'
import { type TargetDeps, usableTarget } from './check-target.ts'
import type { WebhookFanouts } from './delivery/fanout-contract.ts'
import type { Webhook, WebhookPatch } from './schemas.ts'
import { isMasked, type SecretDeps, sealHeaders, sealSecret } from './seal-secret.ts'
import { parseId, webhookNotFound } from './webhook-id.ts'
import { toFanoutRow, toWebhook } from './webhook-record.ts'
import {
  findWebhook,
  type StoredWebhook,
  updateWebhookRow,
  type WebhookDatabase,
  type WebhookFields,
} from './webhook-store.ts'

export interface UpdateWebhookDeps extends TargetDeps, SecretDeps {
  platform: WebhookDatabase
  fanouts: WebhookFanouts
}

/**
 * Changes the fields that were sent; `headers` is replaced as a whole, where a masked value keeps the stored one, and
 * `secret: null` takes the secret away. Stored values never go to another URL. Throws what `createWebhook` throws,
 * `not_found`, and `conflict` when somebody else changed the webhook in between.
 */
export async function updateWebhook(
  deps: UpdateWebhookDeps,
  caller: Caller,
  idText: string,
  patch: WebhookPatch,
): Promise<Webhook> {
  const id = parseId('webhook', idText)
  const before = await findWebhook(deps.platform, id)
  if (before === undefined) throw webhookNotFound(id)
  const { secret, headers } = patch
  const url = patch.url === undefined ? before.url : await usableTarget(deps, patch.url)
  const headers_encrypted =
    headers === undefined
      ? before.headers_encrypted
      : await sealHeaders(deps, id, headers, before.headers_encrypted)
  if (url !== before.url && keepsValue(before, headers)) throw headersOfAnotherUrl()
  const after = {
    ...withPatch(before, patch),
    url,
    headers_encrypted,
    secret_encrypted: secret === undefined ? before.secret_encrypted : await sealSecret(deps, id, secret),
    table_id: await tableAfter(deps, before, patch),
  }
  const change = {
    targetKind: 'webhook',
    targetId: id,
    before: toWebhook(before),
  }
  return await audited(deps, caller, change, async () => {
    const row = await updateWebhookRow(deps.platform, before, after)
    if (row === undefined) throw changedMeanwhile()
    await tellFanout(deps.fanouts, row)
    const result = toWebhook(row)
    return { result, after: { ...result, ...(secret !== undefined && { secret }) } }
  })
}

function withPatch(
  before: StoredWebhook,
  patch: WebhookPatch,
): Omit<WebhookFields, 'headers_encrypted' | 'secret_encrypted' | 'table_id' | 'url'> {
  return {
    name: patch.name ?? before.name,
    table_schema: patch.table_schema ?? before.table_schema,
    table_name: patch.table_name ?? before.table_name,
    events: patch.events ?? before.events,
    active: patch.active ?? before.active,
  }
}

/** True where some value that is stored would be sent on. */
function keepsValue({ headers_encrypted }: StoredWebhook, headers: WebhookPatch['headers']): boolean {
  if (headers === undefined) return Object.keys(headers_encrypted).length > 0
  return Object.values(headers).some(isMasked)
}

/** Else whoever may change a webhook could have its credentials sent to a receiver of their own. */
function headersOfAnotherUrl(): DomainError {
  return new DomainError('validation_failed', 'body.headers: stored values are not sent to another URL.', {
    hint: 'Send `headers` with all their values beside the new `url`, or {} to send none.',
  })
}

/** The table to watch from now on: the one that the names stand for, once any of them is sent. */
async function tableAfter(
  deps: UpdateWebhookDeps,
  before: StoredWebhook,
  patch: WebhookPatch,
): Promise<number> {
  if (patch.table_name === undefined && patch.table_schema === undefined) return before.table_id
  return await findWatchableTable(deps, withPatch(before, patch))
}

async function tellFanout(fanouts: WebhookFanouts, row: StoredWebhook): Promise<void> {
  try {
    await fanouts.byId(row.id).learn(toFanoutRow(row))
  } catch {
    // The change is made: an object that could not be told reads the row within a minute, before it sends more.
  }
}

function changedMeanwhile(): DomainError {
  return new DomainError('conflict', 'The webhook was changed by somebody else in between.', {
    hint: 'Read it again and repeat the change.',
  })
}
