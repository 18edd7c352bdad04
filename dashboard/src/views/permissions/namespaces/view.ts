import { TreeStructureIcon } from '@phosphor-icons/react'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../../../app/root-route.ts'

export const namespaces = createRoute({
  getParentRoute: () => rootRoute,
  path: '/permissions/namespaces',
  component: lazyRouteComponent(() => import('./page.tsx'), 'NamespacesPage'),
  staticData: {
    navigation: {
      group: 'Authorization',
      label: 'Namespaces',
      icon: TreeStructureIcon,
      keywords: 'permission language relations permits reference syntax',
    },
  },
})
