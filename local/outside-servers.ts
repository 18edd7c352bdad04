// The OAuth2 server and the identity provider as child processes: what they are told about each other, about the
// Worker's bridge, and about their own databases. In production they are servers of their own (docs/deploy.md).

import type { Children } from './children.ts'
import { startNodeProgram } from './node-program.ts'
import type { OutsideServer } from './options.ts'
import { LOOPBACK } from './ports.ts'
import type { Secrets } from './secrets.ts'

export interface OutsideServerSettings {
  readonly databaseUrl: string
  readonly publicPort: number
  readonly adminPort: number
  readonly baseUrl: string
  readonly dashboardUrl: string
  readonly secrets: Secrets
}

/** Starts the OAuth2 server, whose login, consent, logout, device and error pages are the Worker's bridge. */
export async function startOAuthServer(
  children: Children,
  settings: OutsideServerSettings,
): Promise<OutsideServer> {
  const bridge = `${settings.baseUrl}/api/oauthsrv/bridge`
  return startServer(children, 'oauth-server', settings, {
    OAUTH_SERVER_DATABASE_URL: settings.databaseUrl,
    OAUTH_SERVER_PUBLIC_PORT: String(settings.publicPort),
    OAUTH_SERVER_ADMIN_PORT: String(settings.adminPort),
    OAUTH_SERVER_LOGIN_URL: `${bridge}/login`,
    OAUTH_SERVER_CONSENT_URL: `${bridge}/consent`,
    OAUTH_SERVER_LOGOUT_URL: `${bridge}/logout`,
    OAUTH_SERVER_ERROR_URL: `${bridge}/error`,
    OAUTH_SERVER_DEVICE_VERIFICATION_URL: `${bridge}/device`,
    OAUTH_SERVER_DEVICE_SUCCESS_URL: `${bridge}/device/success`,
    OAUTH_SERVER_POST_LOGOUT_REDIRECT_URL: `${bridge}/logout/done`,
    OAUTH_SERVER_SYSTEM_SECRET: settings.secrets.oauth_system_secret,
    OAUTH_SERVER_PAIRWISE_SALT: settings.secrets.oauth_pairwise_salt,
  })
}

/** Starts the identity provider; it sends browsers back to the Worker and the dashboard alone. */
export async function startIdentityServer(
  children: Children,
  settings: OutsideServerSettings,
): Promise<OutsideServer> {
  return startServer(children, 'identity-server', settings, {
    IDENTITY_SERVER_DATABASE_URL: settings.databaseUrl,
    IDENTITY_SERVER_PUBLIC_PORT: String(settings.publicPort),
    IDENTITY_SERVER_ADMIN_PORT: String(settings.adminPort),
    IDENTITY_SERVER_SECRET: settings.secrets.identity_cookie_secret,
    IDENTITY_SERVER_ALLOWED_RETURN_URLS: [settings.baseUrl, settings.dashboardUrl].join(','),
  })
}

async function startServer(
  children: Children,
  name: 'oauth-server' | 'identity-server',
  { publicPort, adminPort }: OutsideServerSettings,
  variables: Record<string, string>,
): Promise<OutsideServer> {
  const server = {
    publicUrl: `http://${LOOPBACK}:${publicPort}`,
    adminUrl: `http://${LOOPBACK}:${adminPort}`,
  }
  await startNodeProgram(children, {
    name,
    file: `local/${name}/main.ts`,
    variables,
    readyUrls: [`${server.publicUrl}/health/ready`, `${server.adminUrl}/health/ready`],
    what: `the ${name} answers`,
  })
  return server
}
