// GET /api/modules

import { listModules, ModuleList } from '../../features/status/modules.ts'
import { defineRoute } from '../../http/route.ts'

export const dashboardModuleRoutes = [
  defineRoute({
    id: 'modules.list_by_session',
    method: 'get',
    path: '/api/modules',
    auth: 'admin',
    summary: 'Modules of this deployment, on or off',
    response: ModuleList,
    handle: async ({ deps }) => ({ data: listModules(deps), next_cursor: null }),
  }),
]
