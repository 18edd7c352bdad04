// How the platform does, and what this deployment offers.

import { listModules, ModuleList } from '../features/status/modules.ts'
import { PlatformStatus, readPlatformStatus } from '../features/status/overview.ts'
import { defineRoute } from '../http/route.ts'

export const statusRoutes = [
  defineRoute({
    id: 'status.read',
    method: 'get',
    mounts: { '/v1/status': 'service_role', '/api/status': 'admin' },
    summary: 'Platform overview',
    response: PlatformStatus,
    handle: ({ deps }) => readPlatformStatus(deps),
  }),
  defineRoute({
    id: 'modules.list',
    method: 'get',
    mounts: { '/v1/modules': 'service_role', '/api/modules': 'admin' },
    summary: 'Modules of this deployment, on or off',
    response: ModuleList,
    handle: async ({ deps }) => ({ data: listModules(deps), next_cursor: null }),
  }),
]
