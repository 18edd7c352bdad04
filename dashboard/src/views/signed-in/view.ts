import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../../app/root-route.ts'

/** Where the window ends in which somebody signed in again (`app/session-ended.tsx`). */
export const signedIn = createRoute({
  getParentRoute: () => rootRoute,
  path: '/signed-in',
  component: lazyRouteComponent(() => import('./page.tsx'), 'SignedInPage'),
})
