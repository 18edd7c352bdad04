import { BroadcastIcon } from '@phosphor-icons/react'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { rootRoute } from '../../app/root-route.ts'

const text = z.optional(z.catch(z.string(), ''))

export const realtime = createRoute({
  getParentRoute: () => rootRoute,
  path: '/realtime',
  validateSearch: z.object({
    /** Whose sockets are looked at; left out: the oldest project that is not paused. */
    project: text,
    tab: z.optional(z.catch(z.enum(['state', 'listen']), 'state')),
    /** What is listened to: a table as `schema.name`, or a topic. */
    table: text,
    topic: text,
    private: z.optional(z.catch(z.boolean(), false)),
    sort: text,
  }),
  component: lazyRouteComponent(() => import('./page.tsx'), 'RealtimePage'),
  staticData: {
    navigation: {
      group: 'Platform',
      label: 'Realtime',
      icon: BroadcastIcon,
      keywords: 'live sockets channels topics presence broadcast subscriptions row changes tail listen',
    },
    adminsOnly: true,
    actions: { 'Listen to row changes or a topic': '/realtime?tab=listen' },
  },
})
