import { SignatureIcon } from '@phosphor-icons/react'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { rootRoute } from '../../../app/root-route.ts'

const search = z.object({
  /** The key set; left out: the one of ID tokens. Empty: one that is not named yet. */
  set: z.optional(z.catch(z.string(), '')),
  sort: z.optional(z.catch(z.string(), '')),
  add: z.optional(z.catch(z.boolean(), false)),
  /** The guide through a rotation. Where it stands follows from the set's keys. */
  rotate: z.optional(z.catch(z.boolean(), false)),
  /** The key that is open beside the list. */
  kid: z.optional(z.catch(z.string(), '')),
})
export type KeySearch = z.infer<typeof search>

export const signingKeys = createRoute({
  getParentRoute: () => rootRoute,
  path: '/oauth2/keys',
  validateSearch: search,
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
