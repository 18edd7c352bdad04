// What is wrong with the schema, and what mends it.

import { readAdvice } from '../features/advisor/read-advice.ts'
import { Advice } from '../features/advisor/schemas.ts'
import { defineRoute } from '../http/route.ts'
import { NoQuery } from '../lib/no-query.ts'

export const advisorRoutes = [
  defineRoute({
    id: 'database.advisor',
    method: 'get',
    mounts: { '/v1/database/advisor': 'service_role', '/api/database/advisor': 'admin' },
    summary: 'Faults of the schema, each with the SQL that mends it',
    description:
      'Looks at the schemas that /v1/db serves, without what extensions brought. What anon can read is tried as ' +
      'anon: one row, read-only, 500 ms each and 10 s in all. Writes are judged by grants and policies, since ' +
      'triggers may act outside a transaction. The SQL is for the owner of the object: as a rule it belongs into a ' +
      'migration. Two runs at once are 200, more may be 429.',
    query: NoQuery,
    response: Advice,
    handle: ({ deps, caller }) => readAdvice(deps, caller.requestId),
  }),
]
