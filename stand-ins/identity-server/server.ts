// Starts the local identity provider: an own server that speaks the wire of Ory Kratos v26.2.0, as far as Quoin, its
// bridge and browsers ask. Password sign-in only; no mails, no second factor, no other providers. For development and
// tests on one machine: it is not made for the internet.

import { openDatabase } from '../service/database.ts'
import { listenAll } from '../service/listen.ts'
import { adminApp, publicApp } from './apps.ts'
import type { Addresses, IdentityContext } from './context.ts'
import { IdentityServerSettings } from './settings.ts'
import { startSweeping } from './sweeping.ts'
import { TABLES } from './tables.ts'
import { loadTraitsSchema } from './traits-schema.ts'

export interface IdentityServer {
  readonly publicUrl: string
  readonly adminUrl: string
  /** Lets open requests finish, then leaves the database. */
  close(): Promise<void>
}

/** Resolves when both ports answer; rejects when a port is taken or the database is out of reach. */
export async function startIdentityServer(input: IdentityServerSettings): Promise<IdentityServer> {
  const settings = IdentityServerSettings.parse(input)
  const { secret, allowedReturnUrls, allowedOrigins } = settings
  const sessionMs = settings.sessionLifespanSeconds * 1000
  const flowMs = settings.flowLifespanSeconds * 1000
  const schema = loadTraitsSchema(settings.schemaFile)
  const db = await openDatabase({
    connectionString: settings.databaseUrl,
    applicationName: 'quoin:identity-server',
    tables: [TABLES],
  })
  const addresses = { publicUrl: '', adminUrl: '', uiUrl: '', defaultReturnUrl: '' }
  const told = { secret, allowedReturnUrls, allowedOrigins, sessionMs, flowMs }
  const context: IdentityContext = { db, schema, addresses, ...told }
  const { urls, close } = await listenAll(db, [
    [publicApp(context), settings.publicPort],
    [adminApp(context), settings.adminPort],
  ])
  const [publicPortUrl = '', adminUrl = ''] = urls
  Object.assign(addresses, addressesOf(settings, publicPortUrl, adminUrl))
  const sweeping = startSweeping(db)
  return {
    publicUrl: addresses.publicUrl,
    adminUrl: addresses.adminUrl,
    close: () => {
      sweeping.stop()
      return close()
    },
  }
}

function addressesOf(
  settings: Pick<IdentityServerSettings, 'publicUrl' | 'uiUrl' | 'defaultReturnUrl'>,
  publicPortUrl: string,
  adminUrl: string,
): Addresses {
  const withoutSlash = (url: string) => url.replace(/\/+$/, '')
  const publicUrl = withoutSlash(settings.publicUrl ?? publicPortUrl)
  const uiUrl = withoutSlash(settings.uiUrl ?? `${publicUrl}/ui`)
  return { publicUrl, adminUrl, uiUrl, defaultReturnUrl: settings.defaultReturnUrl ?? `${uiUrl}/welcome` }
}
