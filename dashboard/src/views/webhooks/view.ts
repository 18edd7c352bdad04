import { WebhooksLogoIcon } from '@phosphor-icons/react'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { rootRoute } from '../../app/root-route.ts'

const text = z.optional(z.catch(z.string(), ''))

export const webhooks = createRoute({
  getParentRoute: () => rootRoute,
  path: '/webhooks',
  validateSearch: z.object({
    search: text,
    sort: text,
    state: z.catch(z.optional(z.enum(['healthy', 'failing', 'paused'])), undefined),
    create: z.optional(z.catch(z.boolean(), false)),
  }),
  component: lazyRouteComponent(() => import('./page.tsx'), 'WebhooksPage'),
  staticData: {
    navigation: {
      group: 'Platform',
      label: 'Webhooks',
      icon: WebhooksLogoIcon,
      keywords: 'row changes deliveries receiver replay dead letters events',
    },
    actions: {
      'Create webhook': '/webhooks?create=true',
    },
    records: () => import('./palette.ts').then(({ records }) => records()),
  },
})

export const webhook = createRoute({
  getParentRoute: () => rootRoute,
  path: '/webhooks/$id',
  validateSearch: z.object({
    tab: z.optional(z.catch(z.enum(['deliveries', 'dead-letters']), 'deliveries')),
    outcome: z.catch(z.optional(z.enum(['succeeded', 'failed'])), undefined),
    event: z.catch(z.optional(z.enum(['INSERT', 'UPDATE', 'DELETE', 'TEST'])), undefined),
    /** ISO 8601; the log's entries of this time and later. */
    from: text,
    /** ISO 8601; the log's entries before it. */
    to: text,
    /** Id of the log entry that is open beside the list. */
    delivery: text,
    /** Id of the dead letter that is open beside the list. */
    dead_letter: text,
  }),
  component: lazyRouteComponent(() => import('./record-page.tsx'), 'WebhookPage'),
})
