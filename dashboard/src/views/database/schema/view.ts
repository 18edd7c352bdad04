import { TreeStructureIcon } from '@phosphor-icons/react'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { rootRoute } from '../../../app/root-route.ts'

export const schema = createRoute({
  getParentRoute: () => rootRoute,
  path: '/database/schema',
  validateSearch: z.object({
    search: z.optional(z.catch(z.string(), '')),
    sort: z.optional(z.catch(z.string(), '')),
  }),
  component: lazyRouteComponent(() => import('./page.tsx'), 'SchemaPage'),
  staticData: {
    navigation: {
      group: 'Database',
      label: 'Schema',
      icon: TreeStructureIcon,
      keywords: 'diagram er entity relationship foreign keys erd',
    },
    adminsOnly: true,
  },
})
