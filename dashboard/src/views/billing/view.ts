import { ReceiptIcon } from '@phosphor-icons/react'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../../app/root-route.ts'

export const billing = createRoute({
  getParentRoute: () => rootRoute,
  path: '/billing',
  component: lazyRouteComponent(() => import('./page.tsx'), 'BillingPage'),
  staticData: {
    navigation: {
      group: 'Platform',
      label: 'Billing',
      icon: ReceiptIcon,
      keywords: 'plan quota usage month projection database size',
    },
    adminsOnly: true,
  },
})
