// Webhooks: who is told of row changes, and what became of it.

import { createWebhook } from '../features/webhooks/create-webhook.ts'
import { deleteWebhook } from '../features/webhooks/delete-webhook.ts'
import {
  Attempt,
  DeadLetterId,
  DeadLetterList,
  Delivery,
  DeliveryList,
  DeliveryListQuery,
  LogId,
  Queued,
  ReplaySince,
  WebhookDetail,
  WebhookWithStatisticsList,
  WebhookWithWaiting,
} from '../features/webhooks/delivery-schemas.ts'
import { listDeadLetters } from '../features/webhooks/list-dead-letters.ts'
import { listDeliveries, readDelivery } from '../features/webhooks/list-deliveries.ts'
import { replayDeadLetter } from '../features/webhooks/replay-dead-letter.ts'
import { replayDelivery } from '../features/webhooks/replay-delivery.ts'
import { replayFailedSince } from '../features/webhooks/replay-failed-since.ts'
import {
  EntryListQuery,
  Webhook,
  WebhookId,
  WebhookIn,
  WebhookListQuery,
  WebhookPatch,
} from '../features/webhooks/schemas.ts'
import { sendTest } from '../features/webhooks/send-test.ts'
import { updateWebhook } from '../features/webhooks/update-webhook.ts'
import {
  listWebhooksWithStatistics,
  readWebhookDetail,
  readWebhookWithWaiting,
} from '../features/webhooks/webhook-statistics.ts'
import { defineRoute, jsonText } from '../http/route.ts'

export const webhookRoutes = [
  defineRoute({
    id: 'webhooks.list',
    method: 'get',
    mounts: { '/v1/webhooks': 'service_role', '/api/webhooks': 'session' },
    summary: 'List webhooks with statistics of their deliveries, newest first',
    query: WebhookListQuery,
    response: WebhookWithStatisticsList,
    handle: ({ deps, query }) => listWebhooksWithStatistics(deps, query),
  }),
  defineRoute({
    id: 'webhooks.create',
    method: 'post',
    mounts: { '/api/webhooks': 'session' },
    summary: 'Create a webhook',
    description:
      'Every change of the table that commits after the answer is sent. The secret and the values of headers are ' +
      'kept encrypted and never shown again.',
    body: WebhookIn,
    example: {
      name: 'Search index',
      table_schema: 'public',
      table_name: 'notes',
      events: ['INSERT', 'UPDATE', 'DELETE'],
      url: 'https://search.example.com/hooks/notes',
      headers: { 'X-Source': 'quoin' },
      secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    },
    response: Webhook,
    status: 201,
    handle: ({ deps, caller, body }) => createWebhook(deps, caller, body),
  }),
  defineRoute({
    id: 'webhooks.read',
    method: 'get',
    mounts: { '/api/webhooks/:id': 'session' },
    params: { id: WebhookId },
    summary: 'One webhook with statistics of its deliveries and of what waits to be delivered',
    response: WebhookWithWaiting,
    handle: ({ deps, params }) => readWebhookWithWaiting(deps, params.id),
  }),
  defineRoute({
    // A route of its own: a program is told all in one answer, the dashboard asks for log and dead letters in pages.
    id: 'webhooks.read_detail',
    method: 'get',
    mounts: { '/v1/webhooks/:id': 'service_role' },
    params: { id: WebhookId },
    summary: 'One webhook with statistics of its deliveries, what waits, and the newest entries of its log',
    response: WebhookDetail,
    handle: async ({ deps, params }) => jsonText(await readWebhookDetail(deps, params.id)),
  }),
  defineRoute({
    id: 'webhooks.update',
    method: 'patch',
    mounts: { '/api/webhooks/:id': 'session' },
    params: { id: WebhookId },
    summary: 'Change, pause or resume a webhook',
    description:
      'Fields that are left out stay. `active: false` pauses: events are kept for seven days and sent on ' +
      'resume, those of each row in order. `secret: null` takes the secret away. ' +
      '`headers` is replaced as a whole; `[secret]` keeps the value that is stored under that name. A new `url` ' +
      'needs all `headers` with their values, or `{}`: what is stored goes to no other.',
    body: WebhookPatch,
    example: { active: false },
    response: Webhook,
    handle: ({ deps, caller, params, body }) => updateWebhook(deps, caller, params.id, body),
  }),
  defineRoute({
    id: 'webhooks.delete',
    method: 'delete',
    mounts: { '/api/webhooks/:id': 'session' },
    params: { id: WebhookId },
    summary: 'Delete a webhook with everything that waits to be delivered',
    status: 204,
    handle: async ({ deps, caller, params }) => {
      await deleteWebhook(deps, caller, params.id)
      return { status: 204, headers: {}, body: null }
    },
  }),
  defineRoute({
    id: 'webhooks.test',
    method: 'post',
    mounts: { '/api/webhooks/:id/test': 'session' },
    params: { id: WebhookId },
    summary: 'Send an example payload to the URL of a webhook',
    description:
      'Once, also while paused, logged as TEST. A receiver that fails is an answer with `ok: false`. No body.',
    response: Attempt,
    handle: ({ deps, caller, params }) => sendTest(deps, caller, params.id),
  }),
  defineRoute({
    id: 'webhooks.logs',
    method: 'get',
    mounts: { '/api/webhooks/:id/logs': 'session' },
    params: { id: WebhookId },
    summary: 'The delivery log of a webhook, newest first',
    description: 'One entry an attempt, kept 30 days. An attempt appears within a second.',
    query: DeliveryListQuery,
    response: DeliveryList,
    handle: async ({ deps, params, query }) => jsonText(await listDeliveries(deps, params.id, query)),
  }),
  defineRoute({
    id: 'webhooks.log',
    method: 'get',
    mounts: { '/api/webhooks/:id/logs/:logId': 'session' },
    params: { id: WebhookId, logId: LogId },
    summary: 'One entry of the delivery log',
    response: Delivery,
    handle: async ({ deps, params }) => jsonText(await readDelivery(deps, params)),
  }),
  defineRoute({
    id: 'webhooks.replay',
    method: 'post',
    mounts: { '/api/webhooks/:id/replay/:logId': 'session' },
    params: { id: WebhookId, logId: LogId },
    summary: 'Send one entry of the log again, unchanged, and answer how it went',
    description:
      'Once and at once, also while paused, under the same `webhook-id`, freshly signed, with the header ' +
      '`x-quoin-replay-of`. Delivered, a dead letter of the same event is resolved. A receiver that fails ' +
      'is an answer with `ok: false`. An entry over 1 MiB is 409 `payload_not_kept`. No body.',
    response: Attempt,
    handle: ({ deps, caller, params }) => replayDelivery(deps, caller, params),
  }),
  defineRoute({
    id: 'webhooks.replay_failed',
    method: 'post',
    mounts: { '/api/webhooks/:id/replay-failed': 'session' },
    params: { id: WebhookId },
    summary: 'Queue again everything that has failed since a time, and answer how much that is',
    description:
      'Of what was not delivered: dead letters, in no order, and events that wait for their next attempt, ' +
      'in theirs, all due now and with their nine attempts before them. Of many dead letters most come back ' +
      'into the queue after the answer; those that are there or on their way are not counted again. A ' +
      'paused webhook sends them when it is resumed; a failing one tries one now, and the others when that ' +
      'arrives. How it went, the log tells.',
    body: ReplaySince,
    example: { since: '2026-01-31T12:00:00Z' },
    response: Queued,
    status: 202,
    handle: ({ deps, caller, params, body }) => replayFailedSince(deps, caller, params.id, body),
  }),
  defineRoute({
    id: 'webhooks.dead_letters',
    method: 'get',
    mounts: { '/api/webhooks/:id/dead-letters': 'session' },
    params: { id: WebhookId },
    summary: 'The events of a webhook that were given up, newest first',
    description: 'Kept 30 days; those that were delivered since have a `resolved_at`.',
    query: EntryListQuery,
    response: DeadLetterList,
    handle: async ({ deps, params, query }) => jsonText(await listDeadLetters(deps, params.id, query)),
  }),
  defineRoute({
    id: 'webhooks.replay_dead_letter',
    method: 'post',
    mounts: { '/api/webhooks/:id/dead-letters/:deadLetterId/replay': 'session' },
    params: { id: WebhookId, deadLetterId: DeadLetterId },
    summary: 'Send one dead letter again, and answer how it went',
    description:
      'Once and at once, also while paused. Delivered, it is resolved. A receiver that fails is an answer with ' +
      '`ok: false`. One over 1 MiB is 409 `replay_too_large`, with the `/replay-failed` that sends it. No body.',
    response: Attempt,
    handle: ({ deps, caller, params }) => replayDeadLetter(deps, caller, params),
  }),
]
