import { HouseIcon } from '@phosphor-icons/react'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { rootRoute } from '../../app/root-route.ts'

export const overview = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  validateSearch: z.object({
    /** `true`: with the tour, also for who has seen it. */
    tour: z.optional(z.catch(z.boolean(), false)),
  }),
  component: lazyRouteComponent(() => import('./page.tsx'), 'OverviewPage'),
  staticData: {
    navigation: { group: '', label: 'Overview', icon: HouseIcon, keywords: 'start home health tour' },
  },
})
