import { DoorOpenIcon } from '@phosphor-icons/react'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { rootRoute } from '../../app/root-route.ts'

const text = z.optional(z.catch(z.string(), ''))

export const gateway = createRoute({
  getParentRoute: () => rootRoute,
  path: '/gateway',
  validateSearch: z.object({
    search: text,
    /** Of the rules shown. */
    level: text,
    sort: text,
  }),
  component: lazyRouteComponent(() => import('./page.tsx'), 'GatewayPage'),
  staticData: {
    navigation: {
      group: 'Platform',
      label: 'Gateway',
      icon: DoorOpenIcon,
      keywords: 'health latency access rules endpoints routes levels credentials limits',
    },
    adminsOnly: true,
  },
})
