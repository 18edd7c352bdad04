import { CodeIcon } from '@phosphor-icons/react'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { rootRoute } from '../../../app/root-route.ts'

export const snippets = createRoute({
  getParentRoute: () => rootRoute,
  path: '/oauth2/snippets',
  // What it does not know, the page takes for nothing chosen.
  validateSearch: z.object({
    client: z.optional(z.catch(z.string(), '')),
    language: z.optional(z.catch(z.string(), '')),
    flow: z.optional(z.catch(z.string(), '')),
  }),
  component: lazyRouteComponent(() => import('./page.tsx'), 'SnippetsPage'),
  staticData: {
    navigation: {
      group: 'OAuth2',
      label: 'Snippets',
      icon: CodeIcon,
      keywords: 'sdk example code curl javascript node python go',
    },
  },
})
