// The identity provider that the contract tests of the Kratos wire ask: our own, started for the test file on a fresh
// database of the stack's Postgres, or a real one whose addresses are in IDENTITY_PUBLIC_URL and IDENTITY_ADMIN_URL
// (password method, `session` hook after registration, the identity schema of local/identity-server, the return URLs
// below, pages under http://127.0.0.1:4455/).

import { randomBytes, randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { inject } from 'vitest'
import { startIdentityServer } from '../../local/identity-server/server.ts'
import type { IdentityServerSettings } from '../../local/identity-server/settings.ts'

export const PAGES_URL = 'http://127.0.0.1:4455'
export const WELCOME_URL = `${PAGES_URL}/welcome`
const ALLOWED_RETURN_URLS = [PAGES_URL, 'http://127.0.0.1:8787', 'http://127.0.0.1:5173']

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
  const database = await makeDatabase()
  const settings: IdentityServerSettings = {
    databaseUrl: database.url,
    publicPort: 0,
    adminPort: 0,
    secret: randomBytes(24).toString('hex'),
    allowedReturnUrls: ALLOWED_RETURN_URLS,
    defaultReturnUrl: WELCOME_URL,
    uiUrl: PAGES_URL,
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

async function makeDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const { superuser_url: superuserUrl } = inject('stack')
  if (superuserUrl === null) throw new Error('the stack has no Postgres of its own to make a database in')
  const name = `identity_${randomUUID().replaceAll('-', '')}`
  const run = async (sql: string) => {
    const client = new Client({ connectionString: superuserUrl })
    await client.connect()
    await client.query(sql).finally(() => client.end())
  }
  await run(`create database ${name}`)
  const url = new URL(superuserUrl)
  url.pathname = `/${name}`
  return { url: url.href, drop: () => run(`drop database ${name} with (force)`) }
}
