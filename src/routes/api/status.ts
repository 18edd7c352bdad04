// GET /api/status

import { PlatformStatus, readPlatformStatus } from '../../features/status/overview.ts'
import { defineRoute } from '../../http/route.ts'

export const dashboardStatusRoutes = [
  defineRoute({
    id: 'status.read_by_session',
    method: 'get',
    path: '/api/status',
    auth: 'admin',
    summary: 'Platform overview',
    response: PlatformStatus,
    handle: ({ deps }) => readPlatformStatus(deps),
  }),
]
