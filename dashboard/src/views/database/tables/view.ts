import { TableIcon } from '@phosphor-icons/react'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { rootRoute } from '../../../app/root-route.ts'

export const tables = createRoute({
  getParentRoute: () => rootRoute,
  path: '/database/tables',
  validateSearch: z.object({
    search: z.optional(z.catch(z.string(), '')),
    sort: z.optional(z.catch(z.string(), '')),
  }),
  component: lazyRouteComponent(() => import('./page.tsx'), 'TablesPage'),
  staticData: {
    navigation: { group: 'Database', label: 'Tables', icon: TableIcon, keywords: 'rows data browse schema' },
    adminsOnly: true,
    records: () => import('./palette.ts').then(({ records }) => records()),
  },
})

export const table = createRoute({
  getParentRoute: () => rootRoute,
  path: '/database/tables/$schema/$table',
  // All other names are filters, as GET /api/db/:table takes them: `state=eq.paid`.
  validateSearch: z.looseObject({
    order: z.optional(z.catch(z.string(), '')),
    limit: z.optional(
      z.catch(z.pipe(z.coerce.number(), z.int().check(z.minimum(1), z.maximum(10_000))), 100),
    ),
    offset: z.optional(z.catch(z.pipe(z.coerce.number(), z.int().check(z.minimum(0))), 0)),
    tab: z.optional(z.catch(z.enum(['rows', 'structure']), 'rows')),
    /** The values of the key of the row that is open. */
    row: z.catch(z.optional(z.array(z.string()).check(z.minLength(1))), undefined),
    /** The place on the page of the row that is open, where rows have no key. */
    at: z.optional(z.catch(z.pipe(z.coerce.number(), z.int()), -1)),
    insert: z.optional(z.catch(z.boolean(), false)),
    /** Shows changes as they happen. */
    live: z.optional(z.catch(z.boolean(), false)),
  }),
  component: lazyRouteComponent(() => import('./table-page.tsx'), 'TablePage'),
  staticData: { adminsOnly: true },
})
