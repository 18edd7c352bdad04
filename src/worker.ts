// The Worker's entry: requests go to the route table, queues to their consumers. Durable Objects are exported here
// because the runtime looks here.

import { depsForRequest, depsOf } from './deps.ts'
import { logRequest } from './features/logs/log-request.ts'
import { expireMessages } from './features/realtime/watching/expire-messages.ts'
import { consumeRowChanges } from './features/row-changes/consume/consume-row-changes.ts'
import { keepDeadMessages, resolveDeadMessages } from './features/row-changes/consume/dead-messages.ts'
import { repairWatches } from './features/row-changes/watching/repair-watches.ts'
import { sweepStorage } from './features/storage/sweep/sweep-storage.ts'
import { expireLogs } from './features/webhooks/delivery/expire-logs.ts'
import { createApp } from './http/app.ts'
import { referenceRoutes } from './http/reference/routes.ts'
import { allRoutes } from './routes/index.ts'

export { AddressLimiter } from '../durable-objects/address-limiter.ts'
export { ApiKeyLimiter } from '../durable-objects/api-key-limiter.ts'
export { RealtimeHub } from '../durable-objects/realtime-hub/realtime-hub.ts'
export { RealtimeLog } from '../durable-objects/realtime-log/realtime-log.ts'
export { RequestMetrics } from '../durable-objects/request-metrics.ts'
export { ResumableUpload } from '../durable-objects/resumable-upload.ts'
export { WebhookFanout } from '../durable-objects/webhook-fanout/webhook-fanout.ts'

const app = createApp(
  [...allRoutes, ...referenceRoutes(allRoutes)],
  depsForRequest,
  (env, request, waitUntil) => {
    const { config, requestCollector } = depsOf(env)
    logRequest(config.requestLog, request)
    requestCollector.add(request, waitUntil)
  },
)

/** As wrangler.toml names it. */
const DEAD_QUEUE = 'row-changes-dead'

/** As wrangler.toml writes it; the other cron comes every minute. */
const HOURLY = '17 * * * *'

// The platform wants a default export here.
// biome-ignore lint/style/noDefaultExport: required by the Workers runtime.
export default {
  fetch: (request, env, ctx) => app.fetch(request, env as object, ctx),
  queue: (batch, env) => {
    const consume = batch.queue === DEAD_QUEUE ? keepDeadMessages : consumeRowChanges
    return consume(depsOf(env as object), batch.messages)
  },
  scheduled: async (controller, env) => {
    const deps = depsOf(env as object)
    if (controller.cron === HOURLY)
      await Promise.all([expireLogs(deps), sweepStorage(deps), expireMessages(deps)])
    else await Promise.all([repairWatches(deps), resolveDeadMessages(deps)])
  },
} satisfies ExportedHandler
