import { ShieldCheckIcon } from '@phosphor-icons/react'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../../../app/root-route.ts'

export const oauthOverview = createRoute({
  getParentRoute: () => rootRoute,
  path: '/oauth2',
  component: lazyRouteComponent(() => import('./page.tsx'), 'OAuthOverviewPage'),
  staticData: {
    navigation: {
      group: 'OAuth2',
      label: 'Overview',
      icon: ShieldCheckIcon,
      keywords: 'oauth2 openid connect oidc health bridge login consent url',
    },
  },
})
