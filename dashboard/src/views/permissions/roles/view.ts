import { UserListIcon } from '@phosphor-icons/react'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { rootRoute } from '../../../app/root-route.ts'

const text = z.catch(z.optional(z.string()), undefined)

export const roles = createRoute({
  getParentRoute: () => rootRoute,
  path: '/permissions/roles',
  validateSearch: z.object({
    /** What the list has a row for. */
    group: z.optional(z.catch(z.enum(['subject', 'object']), 'subject')),
    namespace: text,
    find: text,
    sort: text,
    /** The subject that is open beside the list, in its text form. */
    subject: text,
    give: z.optional(z.catch(z.boolean(), false)),
  }),
  component: lazyRouteComponent(() => import('./page.tsx'), 'RolesPage'),
  staticData: {
    navigation: {
      group: 'Authorization',
      label: 'Roles',
      icon: UserListIcon,
      keywords: 'owner editor viewer member admin person subject',
    },
    actions: {
      'Give a role': '/permissions/roles?give=true',
    },
  },
})
