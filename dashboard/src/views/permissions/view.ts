import { LockKeyIcon } from '@phosphor-icons/react'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { rootRoute } from '../../app/root-route.ts'

const text = z.catch(z.optional(z.string()), undefined)

export const permissions = createRoute({
  getParentRoute: () => rootRoute,
  path: '/permissions',
  validateSearch: z.object({
    namespace: text,
    object: text,
    relation: text,
    /** In its text form. */
    subject: text,
    sort: text,
    add: z.optional(z.catch(z.boolean(), false)),
    import: z.optional(z.catch(z.boolean(), false)),
    check: z.optional(z.catch(z.boolean(), false)),
    /** What was asked, as a tuple's text: `Project:apollo#view@alice`. */
    ask: text,
  }),
  component: lazyRouteComponent(() => import('./page.tsx'), 'PermissionsPage'),
  staticData: {
    navigation: {
      group: 'Authorization',
      label: 'Permissions',
      icon: LockKeyIcon,
      keywords: 'relation tuples keto import check',
    },
    actions: {
      'Add a relation tuple': '/permissions?add=true',
      'Import relation tuples': '/permissions?import=true',
      'Check a permission': '/permissions?check=true',
    },
  },
})
