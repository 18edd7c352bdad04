import { HardDrivesIcon } from '@phosphor-icons/react'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import * as z from 'zod/mini'
import { rootRoute } from '../../app/root-route.ts'

const text = z.optional(z.catch(z.string(), ''))

export const storage = createRoute({
  getParentRoute: () => rootRoute,
  path: '/storage',
  validateSearch: z.object({
    search: text,
    sort: text,
    create: z.optional(z.catch(z.boolean(), false)),
  }),
  component: lazyRouteComponent(() => import('./page.tsx'), 'StoragePage'),
  staticData: {
    navigation: {
      group: 'Platform',
      label: 'Storage',
      icon: HardDrivesIcon,
      keywords: 'files buckets objects uploads downloads images folders',
    },
    adminsOnly: true,
    actions: { 'Create bucket': '/storage?create=true' },
    records: () => import('./palette.ts').then(({ records }) => records()),
  },
})

export const bucket = createRoute({
  getParentRoute: () => rootRoute,
  path: '/storage/$bucket',
  validateSearch: z.object({
    tab: z.optional(z.catch(z.enum(['files', 'policies']), 'files')),
    /** The folder that is shown, with its final slash. */
    folder: text,
    /** Beginning of the names that are shown. */
    search: text,
    sort: text,
    /** Name of the object that is open beside the list, with its folders. */
    object: text,
  }),
  component: lazyRouteComponent(() => import('./bucket/page.tsx'), 'BucketPage'),
  staticData: { adminsOnly: true },
})
