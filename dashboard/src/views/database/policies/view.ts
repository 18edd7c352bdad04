import { ShieldCheckIcon } from '@phosphor-icons/react'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { rootRoute } from '../../../app/root-route.ts'

export const policies = createRoute({
  getParentRoute: () => rootRoute,
  path: '/database/policies',
  // A query and claims are no part of the address: they may hold secrets.
  validateSearch: z.object({
    tab: z.optional(z.catch(z.enum(['access', 'try']), 'access')),
    role: z.optional(z.catch(z.enum(['anon', 'service_role']), 'anon')),
    search: z.optional(z.catch(z.string(), '')),
    sort: z.optional(z.catch(z.string(), '')),
    /** Whom a query is tried as. */
    as: z.optional(z.catch(z.enum(['anon', 'identity', 'claims']), 'anon')),
    person: z.optional(z.catch(z.string(), '')),
  }),
  component: lazyRouteComponent(() => import('./page.tsx'), 'PoliciesPage'),
  staticData: {
    navigation: {
      group: 'Database',
      label: 'Policies',
      icon: ShieldCheckIcon,
      keywords: 'rls row-level security access grants try as impersonate',
    },
    adminsOnly: true,
    actions: { 'Try a query as somebody else': '/database/policies?tab=try' },
  },
})
