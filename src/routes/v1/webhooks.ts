// /v1/webhooks: webhooks with what became of their deliveries, for programs. They are made under /api/webhooks.

import { WebhookDetail, WebhookWithStatisticsList } from '../../features/webhooks/delivery-schemas.ts'
import { WebhookId, WebhookListQuery } from '../../features/webhooks/schemas.ts'
import { listWebhooksWithStatistics, readWebhookDetail } from '../../features/webhooks/webhook-statistics.ts'
import { defineRoute, jsonText } from '../../http/route.ts'

export const webhookViewRoutes = [
  defineRoute({
    id: 'webhooks.list_by_key',
    method: 'get',
    path: '/v1/webhooks',
    auth: 'service_role',
    summary: 'List webhooks with statistics of their deliveries, newest first',
    query: WebhookListQuery,
    response: WebhookWithStatisticsList,
    handle: ({ deps, query }) => listWebhooksWithStatistics(deps, query),
  }),
  defineRoute({
    id: 'webhooks.read_by_key',
    method: 'get',
    path: '/v1/webhooks/:id',
    params: { id: WebhookId },
    auth: 'service_role',
    summary: 'One webhook with statistics of its deliveries, what waits, and the newest entries of its log',
    response: WebhookDetail,
    handle: async ({ deps, params }) => jsonText(await readWebhookDetail(deps, params.id)),
  }),
]
