import { ClockCounterClockwiseIcon } from '@phosphor-icons/react'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { rootRoute } from '../../app/root-route.ts'

/** Ids may look like numbers, and an address that was written by hand has them without quotes. */
const Text = z.optional(
  z.catch(z.pipe(z.union([z.string(), z.number(), z.boolean()]), z.transform(String)), ''),
)

export const auditLog = createRoute({
  getParentRoute: () => rootRoute,
  path: '/audit-log',
  // Filters have the names of the API's.
  validateSearch: z.object({
    actor_id: Text,
    action: Text,
    target_kind: Text,
    target_id: Text,
    outcome: z.optional(z.catch(z.enum(['pending', 'succeeded', 'failed', '']), '')),
    request_id: Text,
    from: Text,
    to: Text,
    /** Id of the entry that is open beside the list, and the request that made it, by which it is found. */
    entry: Text,
    entry_request: Text,
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
