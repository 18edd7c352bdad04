import { createRouter } from '@tanstack/react-router'
import { views } from '../views/index.ts'
import { parseSearch, stringifySearch } from './address.ts'
import { rootRoute } from './root-route.ts'
import { Shell } from './shell.tsx'
import { NotFound, ViewFailed, ViewPending } from './states.tsx'

rootRoute.update({ component: Shell })

export const router = createRouter({
  routeTree: rootRoute.addChildren(views),
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  defaultPendingComponent: ViewPending,
  defaultErrorComponent: ViewFailed,
  defaultNotFoundComponent: NotFound,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
