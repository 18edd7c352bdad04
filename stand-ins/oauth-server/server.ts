// Puts the OAuth2 server together: its database, its stores, and the two apps with everybody's routes. A new group of
// routes is one line in `publicRoutes` or `adminRoutes`.

import type { HttpBindings } from '@hono/node-server'
import { Hono } from 'hono'
import { type Database, openDatabase } from '../service/database.ts'
import { listenAll, type ServiceApp } from '../service/listen.ts'
import { addClientRoutes } from './clients/client-routes.ts'
import { makeClientStore } from './clients/client-store.ts'
import { addressesOf, type OAuthServerContext } from './context.ts'
import { addAdminDocuments, addPublicDocuments } from './documents/document-routes.ts'
import {
  type Authorization,
  addAdminAuthorizationRoutes,
  addPublicAuthorizationRoutes,
  makeAuthorization,
} from './flow/authorization-routes.ts'
import { addKeyRoutes } from './keys/key-routes.ts'
import { makeKeyStore } from './keys/key-store.ts'
import { addRegistrationRoutes } from './registration/registration-routes.ts'
import { OAuthServerSettings, type OAuthServerSettingsIn } from './settings.ts'
import { TABLES } from './tables.ts'
import { makeApp } from './wire/apps.ts'
import { makePageTokens } from './wire/page-tokens.ts'

export interface OAuthServer {
  /** Without a slash at the end; the issuer, unless the settings name another. */
  readonly publicUrl: string
  readonly adminUrl: string
  /** Resolves when no request is open any more and the database is let go. */
  close(): Promise<void>
}

/** What tests put in the place of the real thing. */
export interface OAuthServerParts {
  readonly now?: () => number
  readonly fetch?: typeof fetch
}

function publicRoutes(app: ServiceApp, context: OAuthServerContext, authorization: Authorization): void {
  addPublicDocuments(app, context)
  addRegistrationRoutes(app, context)
  addPublicAuthorizationRoutes(app, authorization)
}

function adminRoutes(app: ServiceApp, context: OAuthServerContext, authorization: Authorization): void {
  addAdminDocuments(app, context)
  addClientRoutes(app, context)
  addKeyRoutes(app, context)
  addAdminAuthorizationRoutes(app, authorization)
}

/** Starts both ports; rejects when a setting is wrong, the database is out of reach or a port is taken. */
export async function startOAuthServer(
  input: OAuthServerSettingsIn,
  parts: OAuthServerParts = {},
): Promise<OAuthServer> {
  const settings = OAuthServerSettings.parse(input)
  const database = await openDatabase({
    connectionString: settings.databaseUrl,
    applicationName: 'quoin:oauth-server',
    tables: TABLES,
  })
  const [publicPort, adminPort] = [new LateApp(), new LateApp()]
  const { urls, close } = await listenAll(database, [
    [publicPort.app, settings.publicPort],
    [adminPort.app, settings.adminPort],
  ])
  const [publicUrl = '', adminUrl = ''] = urls
  const context = makeContext(
    settings,
    addressesOf(settings, settings.publicUrl ?? publicUrl, adminUrl),
    database,
    parts,
  )
  const authorization = makeAuthorization(context)
  publicPort.serve(makeApp(), app => publicRoutes(app, context, authorization))
  adminPort.serve(makeApp('/admin'), app => adminRoutes(app, context, authorization))
  return { publicUrl, adminUrl, close }
}

function makeContext(
  settings: OAuthServerSettings,
  addresses: OAuthServerContext['addresses'],
  database: Database,
  { now = Date.now, fetch = globalThis.fetch }: OAuthServerParts,
): OAuthServerContext {
  const { systemSecret, rsaKeyBits, ttlSeconds } = settings
  return {
    settings,
    addresses,
    database,
    clients: makeClientStore(database, now),
    keys: makeKeyStore({ database, systemSecret, rsaKeyBits, now }),
    pageTokens: makePageTokens(systemSecret, ttlSeconds.pageToken, now),
    now,
    fetch,
  }
}

/** The routes know their server's address, which is known once it listens: requests before that wait. */
class LateApp {
  readonly app: ServiceApp = new Hono<{ Bindings: HttpBindings }>()
  readonly #ready = Promise.withResolvers<ServiceApp>()

  constructor() {
    this.app.all('*', async c => (await this.#ready.promise).fetch(c.req.raw, c.env))
  }

  serve(app: ServiceApp, addRoutes: (app: ServiceApp) => void): void {
    addRoutes(app)
    this.#ready.resolve(app)
  }
}
