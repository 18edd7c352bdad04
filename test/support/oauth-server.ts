// The OAuth2 server that the contract tests of the Hydra wire ask: our own, started for the test file on a fresh
// database of the stack's Postgres, or a real one. The addresses of a real one are in OAUTH_PUBLIC_URL and
// OAUTH_ADMIN_URL (`--dev`; dynamic registration on; PKCE enforced for public clients; subject types public and
// pairwise; `serve.public.cors` on for `http://127.0.0.1:3000` and `http://localhost:5173`, since Hydra does not start
// with a wildcard for the port; its pages under http://127.0.0.1:4455/).

import { randomBytes } from 'node:crypto'
import { type OAuthServerParts, startOAuthServer } from '../../stand-ins/oauth-server/server.ts'
import type { OAuthServerSettingsIn } from '../../stand-ins/oauth-server/settings.ts'
import { makeDatabase } from './postgres.ts'

export const PAGES_URL = 'http://127.0.0.1:4455'
/** The shortest that verifiers take: longer ones only cost time to make. */
const RSA_KEY_BITS = 2048

export interface TestOAuthServer extends AsyncDisposable {
  readonly publicUrl: string
  readonly adminUrl: string
}

/** The server to test: the local one unless the environment names another. */
export async function startTestOAuthServer(): Promise<TestOAuthServer> {
  const { OAUTH_PUBLIC_URL: publicUrl, OAUTH_ADMIN_URL: adminUrl } = process.env
  if (publicUrl === undefined || adminUrl === undefined) return startLocalOAuthServer()
  return { publicUrl, adminUrl, [Symbol.asyncDispose]: async () => {} }
}

export interface LocalOAuthServer extends TestOAuthServer {
  /** Of the server's own database. */
  readonly databaseUrl: string
  /** Ends the server and starts it again on the same database, on other ports. */
  restart(): Promise<{ publicUrl: string; adminUrl: string }>
}

/** Our own server on a database of its own, which goes with it. */
export async function startLocalOAuthServer(
  more: Partial<OAuthServerSettingsIn> = {},
  parts: OAuthServerParts = {},
): Promise<LocalOAuthServer> {
  const database = await makeDatabase('oauth')
  const settings: OAuthServerSettingsIn = {
    databaseUrl: database.url,
    publicPort: 0,
    adminPort: 0,
    loginUrl: `${PAGES_URL}/login`,
    consentUrl: `${PAGES_URL}/consent`,
    logoutUrl: `${PAGES_URL}/logout`,
    errorUrl: `${PAGES_URL}/error`,
    deviceVerificationUrl: `${PAGES_URL}/device`,
    deviceSuccessUrl: `${PAGES_URL}/device/success`,
    dynamicRegistration: true,
    systemSecret: randomBytes(24).toString('hex'),
    pairwiseSalt: randomBytes(12).toString('hex'),
    rsaKeyBits: RSA_KEY_BITS,
    ...more,
  }
  let server = await startOAuthServer(settings, parts).catch(async (err: unknown) => {
    await database.drop()
    throw err
  })
  return {
    publicUrl: server.publicUrl,
    adminUrl: server.adminUrl,
    databaseUrl: settings.databaseUrl,
    async restart() {
      await server.close()
      server = await startOAuthServer(settings, parts)
      return server
    },
    async [Symbol.asyncDispose]() {
      await server.close()
      await database.drop()
    },
  }
}
