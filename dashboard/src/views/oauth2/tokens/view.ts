import { TicketIcon } from '@phosphor-icons/react'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../../../app/root-route.ts'

export const tokens = createRoute({
  getParentRoute: () => rootRoute,
  path: '/oauth2/tokens',
  component: lazyRouteComponent(() => import('./page.tsx'), 'TokensPage'),
  staticData: {
    navigation: {
      group: 'OAuth2',
      label: 'Tokens',
      icon: TicketIcon,
      keywords: 'introspect revoke flush access refresh active expired',
    },
    actions: {
      'Introspect a token': '/oauth2/tokens',
    },
  },
})
