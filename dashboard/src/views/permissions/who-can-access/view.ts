import { GraphIcon } from '@phosphor-icons/react'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { rootRoute } from '../../../app/root-route.ts'

const text = z.catch(z.optional(z.string()), undefined)

export const whoCanAccess = createRoute({
  getParentRoute: () => rootRoute,
  path: '/permissions/who-can-access',
  validateSearch: z.object({
    namespace: text,
    object: text,
    /** The mark that is explained: whose, in its text form, and of which relation or permit. */
    subject: text,
    by: text,
    /** Part of a subject that the matrix shows alone. */
    find: text,
    sort: text,
    /** Groups of the graph that are not as they begin: opened, or closed. */
    toggled: z.optional(z.catch(z.array(z.string()), [])),
  }),
  component: lazyRouteComponent(() => import('./page.tsx'), 'WhoCanAccessPage'),
  staticData: {
    navigation: {
      group: 'Authorization',
      label: 'Who can access',
      icon: GraphIcon,
      keywords: 'object people why chain graph matrix',
    },
    actions: {
      'Who can access…': '/permissions/who-can-access',
    },
  },
})
