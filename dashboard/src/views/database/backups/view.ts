import { ArchiveIcon } from '@phosphor-icons/react'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../../../app/root-route.ts'

export const backups = createRoute({
  getParentRoute: () => rootRoute,
  path: '/database/backups',
  component: lazyRouteComponent(() => import('./page.tsx'), 'BackupsPage'),
  staticData: {
    navigation: {
      group: 'Database',
      label: 'Backups',
      icon: ArchiveIcon,
      keywords: 'restore verify branches snapshots neon upgrade',
    },
    adminsOnly: true,
  },
})
