// Everything of the server that authorizes: put together once, added to the two apps by server.ts.

import type { ServiceApp } from '../../service/listen.ts'
import { makeSealer } from '../../service/sealed-values.ts'
import type { OAuthServerContext } from '../context.ts'
import { addDeviceRequestRoutes, DEVICE_VERIFICATION_PATH } from '../device/device-request.ts'
import { verifyDevice } from '../device/device-verification.ts'
import { type LogoutEndpointDeps, logOut } from '../logout/logout-endpoint.ts'
import { addLogoutRequestRoutes, LOGOUT_PATH } from '../logout/logout-request-routes.ts'
import { makeLogoutRequestStore } from '../logout/logout-request-store.ts'
import { makeConsentStore } from '../sessions/consent-store.ts'
import { makeLoginSessionStore } from '../sessions/login-session-store.ts'
import { addSessionRoutes } from '../sessions/session-routes.ts'
import type { TokenDeps } from '../tokens/token-deps.ts'
import { addTokenEndpoints, REVOCATION_PATH, TOKEN_PATH } from '../tokens/token-endpoints.ts'
import { makeTokenIssuer } from '../tokens/token-issuer.ts'
import { addTokenAdminRoutes, addUserinfoRoutes, USERINFO_PATH } from '../tokens/token-routes.ts'
import { makeTokenStore } from '../tokens/token-store.ts'
import { cors } from '../wire/cors.ts'
import { authorize } from './authorize-endpoint.ts'
import { makeBrowserCookies } from './browser-cookies.ts'
import { addFallbackPages } from './fallback-pages.ts'
import { makeChallenges } from './flow-challenges.ts'
import type { FlowDeps } from './flow-deps.ts'
import { addConsentRequestRoutes, addLoginRequestRoutes } from './step-routes.ts'

/** What pages call themselves: everything else is a place where browsers go. */
const CROSS_ORIGIN = [TOKEN_PATH, REVOCATION_PATH, USERINFO_PATH] as const

/** All that authorizing needs. */
export type Authorization = FlowDeps & TokenDeps & LogoutEndpointDeps

/** The stores of the authorizing half. */
export function makeAuthorization(context: OAuthServerContext): Authorization {
  const tokenStore = makeTokenStore(context.database)
  const sealer = makeSealer(context.settings.systemSecret)
  const nowSeconds = () => Math.floor(context.now() / 1000)
  return {
    ...context,
    tokenStore,
    nowSeconds,
    cookies: makeBrowserCookies(sealer),
    challenges: makeChallenges(sealer, context.settings.ttlSeconds.loginConsentRequest, nowSeconds),
    loginSessions: makeLoginSessionStore(context.database),
    consents: makeConsentStore(context.database),
    logoutRequests: makeLogoutRequestStore(context.database),
    tokens: makeTokenIssuer({ ...context, tokenStore }),
  }
}

export function addPublicAuthorizationRoutes(app: ServiceApp, deps: Authorization): void {
  for (const path of CROSS_ORIGIN) app.use(path, cors)
  app.on(['GET', 'POST'], '/oauth2/auth', c => authorize(deps, c))
  addTokenEndpoints(app, deps)
  app.get(DEVICE_VERIFICATION_PATH, c => verifyDevice(deps, c))
  app.on(['GET', 'POST'], LOGOUT_PATH, c => logOut(deps, c))
  addUserinfoRoutes(app, deps)
  addFallbackPages(app)
}

export function addAdminAuthorizationRoutes(app: ServiceApp, deps: Authorization): void {
  addLoginRequestRoutes(app, deps)
  addConsentRequestRoutes(app, deps)
  addDeviceRequestRoutes(app, deps)
  addLogoutRequestRoutes(app, deps)
  addSessionRoutes(app, deps)
  addTokenAdminRoutes(app, deps)
}
