import { HouseIcon } from '@phosphor-icons/react'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../../app/root-route.ts'

export const overview = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  component: lazyRouteComponent(() => import('./page.tsx'), 'OverviewPage'),
  staticData: {
    navigation: { group: '', label: 'Overview', icon: HouseIcon, keywords: 'start home health' },
  },
})
