import { StethoscopeIcon } from '@phosphor-icons/react'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { rootRoute } from '../../../app/root-route.ts'

export const advisor = createRoute({
  getParentRoute: () => rootRoute,
  path: '/database/advisor',
  validateSearch: z.object({
    level: z.catch(z.optional(z.enum(['error', 'warning', 'info'])), undefined),
    category: z.catch(z.optional(z.enum(['security', 'performance'])), undefined),
  }),
  component: lazyRouteComponent(() => import('./page.tsx'), 'AdvisorPage'),
  staticData: {
    navigation: {
      group: 'Database',
      label: 'Advisor',
      icon: StethoscopeIcon,
      keywords: 'lint security performance policies rls indexes faults findings',
    },
    adminsOnly: true,
  },
})
