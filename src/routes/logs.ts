// What happened: requests, changes and deliveries in one list.

import { listLogs } from '../features/logs/list-logs.ts'
import { LogList, LogQuery } from '../features/logs/schemas.ts'
import { defineRoute } from '../http/route.ts'

export const logRoutes = [
  defineRoute({
    id: 'logs.list',
    method: 'get',
    mounts: { '/v1/logs': 'service_role', '/api/logs': 'admin' },
    summary: 'Requests, changes and deliveries of webhooks, newest first',
    description:
      'Changes and deliveries are all there. Of requests an isolate keeps 500 in ten seconds, each with the same ' +
      'chance; they are there after ten seconds, for seven days, the last 100 000. Never a query string, a header or ' +
      'a body.',
    query: LogQuery,
    response: LogList,
    handle: ({ deps, query }) => listLogs(deps, query),
  }),
]
