// GET /v1/modules

import * as z from 'zod'
import { listModules, Module } from '../../features/status/modules.ts'
import { defineRoute } from '../../http/route.ts'

export const moduleRoutes = [
  defineRoute({
    id: 'modules.list',
    method: 'get',
    path: '/v1/modules',
    auth: 'service_role',
    summary: 'Modules of this deployment, on or off',
    response: z.object({ data: z.array(Module), next_cursor: z.null() }),
    handle: async ({ deps }) => ({ data: listModules(deps), next_cursor: null }),
  }),
]
