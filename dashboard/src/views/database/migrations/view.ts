import { StackIcon } from '@phosphor-icons/react'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { rootRoute } from '../../../app/root-route.ts'

const text = z.optional(z.catch(z.string(), ''))

export const migrations = createRoute({
  getParentRoute: () => rootRoute,
  path: '/database/migrations',
  validateSearch: z.object({
    state: z.catch(z.optional(z.enum(['applied', 'pending', 'modified', 'orphaned'])), undefined),
    /** Name of the migration that is open beside the list. */
    file: text,
    /** `true`: the dialog that runs what is pending. */
    run: z.optional(z.catch(z.boolean(), false)),
    /** `true`: the panel that looks which objects of a text exist. */
    detect: z.optional(z.catch(z.boolean(), false)),
  }),
  component: lazyRouteComponent(() => import('./page.tsx'), 'MigrationsPage'),
  staticData: {
    navigation: {
      group: 'Database',
      label: 'Migrations',
      icon: StackIcon,
      keywords: 'schema pending run apply ddl locks',
    },
    actions: {
      'Run pending migrations': '/database/migrations?run=true',
    },
  },
})
