import { ListMagnifyingGlassIcon } from '@phosphor-icons/react'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { rootRoute } from '../../app/root-route.ts'

const text = z.optional(z.catch(z.string(), ''))
const source = z.optional(z.catch(z.enum(['request', 'audit', 'delivery', '']), ''))

export const logs = createRoute({
  getParentRoute: () => rootRoute,
  path: '/logs',
  // Filters have the names of the API's.
  validateSearch: z.object({
    source,
    request_id: text,
    route: text,
    status: text,
    key_id: text,
    from: text,
    to: text,
    /** Id of the entry that is open beside the list, its source, and the time by which it is found. */
    entry: text,
    entry_source: source,
    entry_time: text,
  }),
  component: lazyRouteComponent(() => import('./page.tsx'), 'LogsPage'),
  staticData: {
    navigation: {
      group: 'Platform',
      label: 'Logs',
      icon: ListMagnifyingGlassIcon,
      keywords: 'requests request id errors status route deliveries',
    },
    adminsOnly: true,
  },
})
