import { SignpostIcon } from '@phosphor-icons/react'
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { rootRoute } from '../../../app/root-route.ts'
import { FLOWS } from './flows.ts'
import { handOver } from './hand-over.ts'
import { CALLBACK_PATH } from './sign-in-window.ts'

export const flowTester = createRoute({
  getParentRoute: () => rootRoute,
  path: '/oauth2/flow-tester',
  validateSearch: z.object({
    flow: z.optional(z.catch(z.enum(FLOWS), 'code')),
    /** client_id of the client that is tried. */
    client: z.optional(z.catch(z.string(), '')),
  }),
  component: lazyRouteComponent(() => import('./page.tsx'), 'FlowTesterPage'),
  staticData: {
    navigation: {
      group: 'OAuth2',
      label: 'Flow tester',
      icon: SignpostIcon,
      keywords: 'flow client pkce authorization code device credentials sign in try test',
    },
    actions: {
      'Try a sign-in': '/oauth2/flow-tester',
    },
  },
})

/** Where the OAuth2 server sends the browser back to; reached by it alone. */
export const flowTesterCallback = createRoute({
  getParentRoute: () => rootRoute,
  path: CALLBACK_PATH,
  beforeLoad: ({ preload }) => {
    if (preload || location.search === '') return
    handOver(location.search)
    // Code and state stay in no address and no history.
    throw redirect({ to: CALLBACK_PATH, search: {}, replace: true })
  },
  component: lazyRouteComponent(() => import('./callback-page.tsx'), 'CallbackPage'),
})
