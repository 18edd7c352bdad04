// The Worker's entry: requests go to the route table. Durable Objects are exported here because the runtime looks here.

import { depsForRequest } from './deps.ts'
import { createApp } from './http/app.ts'
import { referenceRoutes } from './http/reference/routes.ts'
import { allRoutes } from './routes/index.ts'

export { AddressLimiter } from '../durable-objects/address-limiter.ts'
export { ApiKeyLimiter } from '../durable-objects/api-key-limiter.ts'

const app = createApp([...allRoutes, ...referenceRoutes(allRoutes)], depsForRequest)

// The platform wants a default export here.
// biome-ignore lint/style/noDefaultExport: required by the Workers runtime.
export default {
  fetch: (request, env, ctx) => app.fetch(request, env as object, ctx),
} satisfies ExportedHandler
