import { KeyIcon } from '@phosphor-icons/react'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { rootRoute } from '../../app/root-route.ts'

export const keys = createRoute({
  getParentRoute: () => rootRoute,
  path: '/keys',
  validateSearch: z.object({
    search: z.optional(z.catch(z.string(), '')),
    sort: z.optional(z.catch(z.string(), '')),
    /** `true`: with those that are revoked. */
    revoked: z.optional(z.catch(z.boolean(), false)),
    /** Id of the project whose keys alone are shown, and which a new key gets. */
    project: z.optional(z.catch(z.string(), '')),
    create: z.optional(z.catch(z.boolean(), false)),
    /** Id of the key that is open beside the list. */
    key: z.optional(z.catch(z.string(), '')),
  }),
  component: lazyRouteComponent(() => import('./page.tsx'), 'KeysPage'),
  staticData: {
    navigation: { group: 'Platform', label: 'API keys', icon: KeyIcon, keywords: 'anon service_role rotate' },
    adminsOnly: true,
    actions: {
      'Create API key': '/keys?create=true',
    },
    records: () => import('./palette.ts').then(({ records }) => records()),
  },
})
