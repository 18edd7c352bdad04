import { IdentificationBadgeIcon } from '@phosphor-icons/react'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { rootRoute } from '../../../app/root-route.ts'

export const claims = createRoute({
  getParentRoute: () => rootRoute,
  path: '/oauth2/claims',
  validateSearch: z.object({
    /** Whose tokens the preview shows; left out: one's own. */
    identity: z.optional(z.catch(z.string(), '')),
    /** The scopes of the preview, with spaces between. */
    scopes: z.optional(z.catch(z.string(), '')),
  }),
  component: lazyRouteComponent(() => import('./page.tsx'), 'ClaimsPage'),
  staticData: {
    navigation: {
      group: 'OAuth2',
      label: 'Claims',
      icon: IdentificationBadgeIcon,
      keywords: 'custom template traits metadata id token access token preview',
    },
  },
})
