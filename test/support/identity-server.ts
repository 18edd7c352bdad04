// The identity provider that the contract tests of the Kratos wire ask: our own, started for the test file on a fresh
// database of the stack's Postgres, or a real one. The addresses of a real one are in IDENTITY_PUBLIC_URL and
// IDENTITY_ADMIN_URL. It has the password method, the `session` hook after registration and the identity schema beside
// this file, with which the real one was recorded. It also has the return URLs below, and pages under http://127.0.0.1:4455/.

import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { startIdentityServer } from '../../stand-ins/identity-server/server.ts'
import type { IdentityServerSettings } from '../../stand-ins/identity-server/settings.ts'
import { makeDatabase } from './postgres.ts'

export const PAGES_URL = 'http://127.0.0.1:4455'
export const WELCOME_URL = `${PAGES_URL}/welcome`
const ALLOWED_RETURN_URLS = [PAGES_URL, 'http://127.0.0.1:8787', 'http://127.0.0.1:5173']

/** Its traits `role` and `groups` are for the wire alone: no real schema should let people write such things. */
const SCHEMA_FILE = fileURLToPath(new URL('recorded-identity.schema.json', import.meta.url))

export interface IdentityProvider extends AsyncDisposable {
  readonly publicUrl: string
  readonly adminUrl: string
}

/** The provider to test: the local one unless the environment names another. */
export async function openIdentityProvider(): Promise<IdentityProvider> {
  const { IDENTITY_PUBLIC_URL: publicUrl, IDENTITY_ADMIN_URL: adminUrl } = process.env
  if (publicUrl === undefined || adminUrl === undefined) return openLocalProvider()
  return { publicUrl, adminUrl, [Symbol.asyncDispose]: async () => {} }
}

export interface LocalProvider extends IdentityProvider {
  readonly settings: IdentityServerSettings
  /** Ends the server and starts it again on the same database, on other ports. */
  restart(): Promise<IdentityProvider>
}

/** Our own server on a database of its own, which goes with it. */
export async function openLocalProvider(more: Partial<IdentityServerSettings> = {}): Promise<LocalProvider> {
  const database = await makeDatabase('identity')
  const settings: IdentityServerSettings = {
    databaseUrl: database.url,
    publicPort: 0,
    adminPort: 0,
    secret: randomBytes(24).toString('hex'),
    allowedReturnUrls: ALLOWED_RETURN_URLS,
    defaultReturnUrl: WELCOME_URL,
    uiUrl: PAGES_URL,
    schemaFile: SCHEMA_FILE,
    ...more,
  }
  let server = await startIdentityServer(settings)
  const dispose = async () => {
    await server.close()
    await database.drop()
  }
  const restart = async () => {
    await server.close()
    server = await startIdentityServer(settings)
    return { publicUrl: server.publicUrl, adminUrl: server.adminUrl, [Symbol.asyncDispose]: dispose }
  }
  const { publicUrl, adminUrl } = server
  return { publicUrl, adminUrl, settings, restart, [Symbol.asyncDispose]: dispose }
}
