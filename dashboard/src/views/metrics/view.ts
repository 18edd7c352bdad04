import { ChartLineIcon } from '@phosphor-icons/react'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { rootRoute } from '../../app/root-route.ts'

const text = z.optional(z.catch(z.string(), ''))

export const metrics = createRoute({
  getParentRoute: () => rootRoute,
  path: '/metrics',
  validateSearch: z.object({
    /** One of `PERIODS`; the last day unless said. */
    period: z.catch(z.optional(z.enum(['hour', 'day', 'week', 'month'])), undefined),
    /** Of the table of routes. */
    sort: text,
    /** Of the table of keys. */
    keys_sort: text,
  }),
  component: lazyRouteComponent(() => import('./page.tsx'), 'MetricsPage'),
  staticData: {
    navigation: {
      group: 'Platform',
      label: 'Metrics',
      icon: ChartLineIcon,
      keywords: 'requests errors latency p95 usage traffic charts',
    },
    adminsOnly: true,
  },
})
