// GET /v1/modules

import { listModules, ModuleList } from '../../features/status/modules.ts'
import { defineRoute } from '../../http/route.ts'

export const moduleRoutes = [
  defineRoute({
    id: 'modules.list',
    method: 'get',
    path: '/v1/modules',
    auth: 'service_role',
    summary: 'Modules of this deployment, on or off',
    response: ModuleList,
    handle: async ({ deps }) => ({ data: listModules(deps), next_cursor: null }),
  }),
]
