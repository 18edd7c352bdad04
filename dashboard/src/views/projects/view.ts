import { FolderIcon } from '@phosphor-icons/react'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { rootRoute } from '../../app/root-route.ts'

export const projects = createRoute({
  getParentRoute: () => rootRoute,
  path: '/projects',
  validateSearch: z.object({
    search: z.optional(z.catch(z.string(), '')),
    sort: z.optional(z.catch(z.string(), '')),
    create: z.optional(z.catch(z.boolean(), false)),
  }),
  component: lazyRouteComponent(() => import('./page.tsx'), 'ProjectsPage'),
  staticData: {
    navigation: {
      group: 'Platform',
      label: 'Projects',
      icon: FolderIcon,
      keywords: 'pause resume status group of keys',
    },
    adminsOnly: true,
    actions: {
      'Create project': '/projects?create=true',
    },
    records: () => import('./palette.ts').then(({ records }) => records()),
  },
})

export const project = createRoute({
  getParentRoute: () => rootRoute,
  path: '/projects/$id',
  component: lazyRouteComponent(() => import('./project-page.tsx'), 'ProjectPage'),
  staticData: { adminsOnly: true },
})
