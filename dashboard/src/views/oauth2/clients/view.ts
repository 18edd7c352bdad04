import { AppWindowIcon } from '@phosphor-icons/react'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { rootRoute } from '../../../app/root-route.ts'
import { TABS } from './record/tabs.ts'
import { TEMPLATES } from './templates.ts'

export const oauthClients = createRoute({
  getParentRoute: () => rootRoute,
  path: '/oauth2/clients',
  validateSearch: z.object({
    search: z.optional(z.catch(z.string(), '')),
    sort: z.optional(z.catch(z.string(), '')),
    /** The editor instead of the list. */
    create: z.optional(z.catch(z.boolean(), false)),
    /** What the new client begins as; without it the editor asks. */
    template: z.catch(z.optional(z.enum(TEMPLATES)), undefined),
  }),
  component: lazyRouteComponent(() => import('./page.tsx'), 'ClientsPage'),
  staticData: {
    navigation: {
      group: 'OAuth2',
      label: 'Clients',
      icon: AppWindowIcon,
      keywords: 'application redirect uri secret grant scope',
    },
    actions: {
      'Create client': '/oauth2/clients?create=true',
    },
    records: () => import('./palette.ts').then(({ records }) => records()),
  },
})

export const oauthClient = createRoute({
  getParentRoute: () => rootRoute,
  path: '/oauth2/clients/$id',
  validateSearch: z.object({
    tab: z.catch(z.optional(z.enum(TABS)), undefined),
  }),
  component: lazyRouteComponent(() => import('./record/page.tsx'), 'ClientPage'),
})
