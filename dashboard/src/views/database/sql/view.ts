import { TerminalWindowIcon } from '@phosphor-icons/react'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { rootRoute } from '../../../app/root-route.ts'

export const sql = createRoute({
  getParentRoute: () => rootRoute,
  path: '/database/sql',
  // The text is no part of the address: it may hold secrets.
  validateSearch: z.object({ history: z.optional(z.catch(z.boolean(), false)) }),
  component: lazyRouteComponent(() => import('./page.tsx'), 'SqlPage'),
  staticData: {
    navigation: {
      group: 'Database',
      label: 'SQL',
      icon: TerminalWindowIcon,
      keywords: 'query editor explain plan csv history',
    },
    adminsOnly: true,
  },
})
