// What of a project's usage counts towards its plan.

import { scopeOf } from '../features/api-keys/record/project-scope.ts'
import { Billing, BillingQuery, readBilling } from '../features/billing/read-billing.ts'
import { defineRoute } from '../http/route.ts'

export const billingRoutes = [
  defineRoute({
    id: 'billing.read',
    method: 'get',
    mounts: { '/v1/billing': 'service_role', '/api/billing': 'admin' },
    summary: "A project's plan, and what it has used this month",
    description: 'Quotas are shown and not enforced. There are no prices: nobody here sells anything.',
    query: BillingQuery,
    response: Billing,
    handle: ({ deps, query, principal }) => readBilling(deps, scopeOf(principal), query),
  }),
]
