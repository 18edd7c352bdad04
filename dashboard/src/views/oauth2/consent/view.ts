import { HandshakeIcon } from '@phosphor-icons/react'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { rootRoute } from '../../../app/root-route.ts'

export const consent = createRoute({
  getParentRoute: () => rootRoute,
  path: '/oauth2/consent',
  validateSearch: z.object({
    /** Id of the identity whose consents are shown. */
    subject: z.optional(z.catch(z.string(), '')),
    sort: z.optional(z.catch(z.string(), '')),
  }),
  component: lazyRouteComponent(() => import('./page.tsx'), 'ConsentPage'),
  staticData: {
    navigation: {
      group: 'OAuth2',
      label: 'Consent',
      icon: HandshakeIcon,
      keywords: 'granted scopes revoke subject sign out logout sessions',
    },
    actions: {
      'Revoke consents': '/oauth2/consent',
    },
  },
})
