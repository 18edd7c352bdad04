import { CompassIcon } from '@phosphor-icons/react'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../../../app/root-route.ts'

export const discovery = createRoute({
  getParentRoute: () => rootRoute,
  path: '/oauth2/discovery',
  component: lazyRouteComponent(() => import('./page.tsx'), 'DiscoveryPage'),
  staticData: {
    navigation: {
      group: 'OAuth2',
      label: 'Discovery',
      icon: CompassIcon,
      keywords: 'oidc openid configuration endpoints issuer well-known',
    },
  },
})
