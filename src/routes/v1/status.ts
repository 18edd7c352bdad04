// GET /v1/status

import { PlatformStatus, readPlatformStatus } from '../../features/status/overview.ts'
import { defineRoute } from '../../http/route.ts'

export const statusRoutes = [
  defineRoute({
    id: 'status.read',
    method: 'get',
    path: '/v1/status',
    auth: 'service_role',
    summary: 'Platform overview',
    response: PlatformStatus,
    handle: ({ deps }) => readPlatformStatus(deps),
  }),
]
