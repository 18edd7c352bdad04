import { FingerprintIcon } from '@phosphor-icons/react'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../../../app/root-route.ts'

// The token itself is in no address: a pasted one is handed over in memory (app/pasted-token.ts).
export const jwtDebugger = createRoute({
  getParentRoute: () => rootRoute,
  path: '/oauth2/jwt-debugger',
  component: lazyRouteComponent(() => import('./page.tsx'), 'JwtDebuggerPage'),
  staticData: {
    navigation: {
      group: 'OAuth2',
      label: 'JWT debugger',
      icon: FingerprintIcon,
      keywords: 'token decode verify signature claims jwks',
    },
  },
})
