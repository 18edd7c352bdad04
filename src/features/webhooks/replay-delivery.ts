// Sends a logged payload again: the same bytes under the same `webhook-id`, freshly signed and time-stamped, once.
// What was given up of its event is resolved when it arrives.

import type { PlatformDatabase } from '../../db/database.ts'
import { DomainError } from '../../errors.ts'
import { audited } from '../audit/audited.ts'
import type { Caller } from '../audit/caller.ts'
import { resolveEvent } from './delivery/delivery-log.ts'
import type { LoggedDelivery } from './delivery/fanout-contract.ts'
import type { Attempt } from './delivery-schemas.ts'
import { type SendOnceDeps, sentOnce } from './send-test.ts'
import { deliveryNotFound, parseId, webhookNotFound } from './webhook-id.ts'
import { findWebhook } from './webhook-store.ts'

/**
 * Replays one entry of the webhook's log, of whatever outcome; a receiver that fails is an answer, no error. Throws
 * `invalid_parameter`, `not_found`, and `payload_not_kept` for a body that was too large for the log.
 */
export async function replayDelivery(
  deps: SendOnceDeps,
  caller: Caller,
  ids: { id: string; logId: string },
): Promise<Attempt> {
  const id = parseId('webhook', ids.id)
  const logId = parseId('log entry', ids.logId)
  const logged = await findDelivery(deps.platform, id, logId)
  const change = {
    targetKind: 'webhook',
    targetId: id,
    before: { log_id: logId, event_id: logged.event_id },
  }
  return await audited(deps, caller, change, async () => {
    const sent = sentOnce(id, await deps.fanouts.byId(id).replay(logged))
    if (sent.result.ok && logged.event_id !== null) await resolveEvent(deps.platform, id, logged.event_id)
    return sent
  })
}

const FIND = `
  select id, event_id, event_type, webhook_message_id, payload, request_id, payload_error from quoin.webhook_deliveries
  where id = $2::uuid and webhook_id = $1::uuid`

async function findDelivery(
  platform: Pick<PlatformDatabase, 'query'>,
  webhookId: string,
  logId: string,
): Promise<LoggedDelivery> {
  const [logged] = await platform.query<LoggedDelivery>(FIND, [webhookId, logId], 'repeatable')
  if (logged === undefined) {
    if ((await findWebhook(platform, webhookId)) === undefined) throw webhookNotFound(webhookId)
    throw deliveryNotFound(logId)
  }
  if (logged.payload === '') throw payloadNotKept()
  return logged
}

function payloadNotKept(): DomainError {
  return new DomainError(
    'payload_not_kept',
    'The body was too large for the log, so there is none to send.',
    {
      hint:
        'The log keeps bodies of up to 1 MiB. An event that was given up has its whole body: ' +
        'GET /api/webhooks/:id/dead-letters lists those.',
    },
  )
}
