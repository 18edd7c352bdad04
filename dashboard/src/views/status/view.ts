import { HeartbeatIcon } from '@phosphor-icons/react'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../../app/root-route.ts'

export const status = createRoute({
  getParentRoute: () => rootRoute,
  path: '/status',
  component: lazyRouteComponent(() => import('./page.tsx'), 'StatusPage'),
  staticData: {
    navigation: {
      group: 'Platform',
      label: 'Status',
      icon: HeartbeatIcon,
      keywords: 'health version modules database problems warnings',
    },
    adminsOnly: true,
  },
})
