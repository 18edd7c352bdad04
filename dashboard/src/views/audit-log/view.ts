import { ClockCounterClockwiseIcon } from '@phosphor-icons/react'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { rootRoute } from '../../app/root-route.ts'

const text = z.optional(z.catch(z.string(), ''))

export const auditLog = createRoute({
  getParentRoute: () => rootRoute,
  path: '/audit-log',
  // Filters have the names of the API's.
  validateSearch: z.object({
    actor_id: text,
    action: text,
    target_kind: text,
    target_id: text,
    outcome: z.optional(z.catch(z.enum(['pending', 'succeeded', 'failed', '']), '')),
    request_id: text,
    from: text,
    to: text,
    /** Id of the entry that is open beside the list, and the request that made it, by which it is found. */
    entry: text,
    entry_request: text,
  }),
  component: lazyRouteComponent(() => import('./page.tsx'), 'AuditLogPage'),
  staticData: {
    navigation: {
      group: 'Platform',
      label: 'Audit log',
      icon: ClockCounterClockwiseIcon,
      keywords: 'history changes who did what',
    },
    adminsOnly: true,
  },
})
