// Sends one dead letter again, under the `webhook-id` that its event always had. Delivered, it is resolved.

import type { PlatformDatabase } from '../../db/database.ts'
import { DomainError } from '../../errors.ts'
import { audited } from '../audit/audited.ts'
import type { Caller } from '../audit/caller.ts'
import { resolveDeadLetters } from './delivery/delivery-log.ts'
import { positionOfEvent, webhookIdOf } from './delivery/event-identity.ts'
import { type EventNotes, type LoggedDelivery, WHOLE_PAYLOAD_BYTES_MAX } from './delivery/fanout-contract.ts'
import { readFacts } from './delivery/payload.ts'
import type { Attempt } from './delivery-schemas.ts'
import { type SendOnceDeps, sentOnce } from './send-test.ts'
import { parseId, webhookNotFound } from './webhook-id.ts'
import { findWebhook } from './webhook-store.ts'

/**
 * Sends one dead letter once; a receiver that fails is an answer, no error. Throws `invalid_parameter`, `not_found`,
 * `payload_not_kept`, and `replay_too_large` for what only `replayFailedSince` sends (Decision 130).
 */
export async function replayDeadLetter(
  deps: SendOnceDeps,
  caller: Caller,
  ids: { id: string; deadLetterId: string },
): Promise<Attempt> {
  const id = parseId('webhook', ids.id)
  const letter = await findDeadLetter(deps.platform, id, parseId('dead letter', ids.deadLetterId))
  const change = {
    targetKind: 'webhook',
    targetId: id,
    before: { dead_letter_id: letter.id, event_id: letter.event_id },
  }
  return await audited(deps, caller, change, async () => {
    const sent = sentOnce(id, await deps.fanouts.byId(id).replay(letter))
    if (sent.result.ok) await resolveDeadLetters(deps.platform, [letter.id])
    return sent
  })
}

interface StoredLetter extends EventNotes {
  event_id: string
  created_at: string
  is_large: boolean
  /** Null: none was kept, or it is large. */
  payload: string | null
}

const IS_LARGE = `coalesce(octet_length(payload) > ${WHOLE_PAYLOAD_BYTES_MAX}, false)`
const FIND = `
  select event_id, request_id, payload_error, created_at, ${IS_LARGE} as is_large,
    case when not ${IS_LARGE} then payload end as payload
  from quoin.dead_letters where id = $2::uuid and webhook_id = $1::uuid`

async function findDeadLetter(
  platform: Pick<PlatformDatabase, 'query'>,
  webhookId: string,
  id: string,
): Promise<LoggedDelivery> {
  const [letter] = await platform.query<StoredLetter>(FIND, [webhookId, id], 'repeatable')
  if (letter === undefined) {
    if ((await findWebhook(platform, webhookId)) === undefined) throw webhookNotFound(webhookId)
    throw new DomainError('not_found', `The webhook has no dead letter with the id ${id}.`, {
      hint: 'They are kept 30 days. GET /api/webhooks/:id/dead-letters lists them.',
    })
  }
  const { payload, created_at, is_large, ...notes } = letter
  if (is_large) throw tooLarge(webhookId, created_at)
  const facts = payload === null ? undefined : readFacts(payload, payload)
  if (payload === null || facts === undefined) throw withoutBody()
  return {
    id,
    ...notes,
    event_type: facts.event,
    webhook_message_id: webhookIdOf(webhookId, positionOfEvent(notes.event_id), facts.occurredAtMs),
    payload,
  }
}

function tooLarge(webhookId: string, createdAt: string): DomainError {
  const body = JSON.stringify({ since: new Date(createdAt).toISOString() })
  return new DomainError(
    'replay_too_large',
    'The body is over 1 MiB: it is not sent while a request waits.',
    {
      hint: `Replay all that failed: POST /api/webhooks/${webhookId}/replay-failed with ${body} sends it too.`,
    },
  )
}

function withoutBody(): DomainError {
  return new DomainError('payload_not_kept', 'The dead letter has no body that could be sent again.', {
    hint: 'GET /api/webhooks/:id/logs lists what was sent, with bodies of up to 1 MiB.',
  })
}
