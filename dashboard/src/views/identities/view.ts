import { UsersIcon } from '@phosphor-icons/react'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { rootRoute } from '../../app/root-route.ts'

export const identities = createRoute({
  getParentRoute: () => rootRoute,
  path: '/identities',
  validateSearch: z.object({
    /** Whole: the identity provider finds nobody by a part of it. */
    email: z.optional(z.catch(z.string(), '')),
    sort: z.optional(z.catch(z.string(), '')),
  }),
  component: lazyRouteComponent(() => import('./page.tsx'), 'IdentitiesPage'),
  staticData: {
    navigation: {
      group: 'Platform',
      label: 'Identities',
      icon: UsersIcon,
      keywords: 'people users persons sessions sign out email',
    },
    adminsOnly: true,
    records: () => import('./palette.ts').then(({ records }) => records()),
  },
})

export const identity = createRoute({
  getParentRoute: () => rootRoute,
  path: '/identities/$id',
  component: lazyRouteComponent(() => import('./identity-page.tsx'), 'IdentityPage'),
  staticData: { adminsOnly: true },
})
