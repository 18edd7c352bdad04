// For load balancers: is this process there? Asks nothing outside; /v1/status says how the database does.

import * as z from 'zod'
import { defineRoute } from '../http/route.ts'

export const healthRoutes = [
  defineRoute({
    id: 'health.read',
    method: 'get',
    mounts: { '/healthz': 'none' },
    summary: 'Says that the Worker answers',
    description: 'Asks no database and no other server, so that a load balancer may call it often.',
    response: z.object({ status: z.literal('ok') }).meta({ id: 'Health' }),
    handle: async () => ({ status: 'ok' as const }),
  }),
]
