import { SignatureIcon } from '@phosphor-icons/react'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../../../app/root-route.ts'
import { KeySearch } from './search.ts'

export const signingKeys = createRoute({
  getParentRoute: () => rootRoute,
  path: '/oauth2/keys',
  validateSearch: KeySearch,
  component: lazyRouteComponent(() => import('./page.tsx'), 'SigningKeysPage'),
  staticData: {
    navigation: {
      group: 'OAuth2',
      label: 'Signing keys',
      icon: SignatureIcon,
      keywords: 'jwks rotate kid algorithm rsa',
    },
    actions: {
      'Rotate signing keys': '/oauth2/keys?rotate=true',
    },
  },
})
