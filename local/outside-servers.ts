// The OAuth2 server, the identity provider and the permission server as child processes: what they are told about each
// other, about the Worker's bridge, and about their own databases. In production they are servers of their own
// (docs/deploy.md).

import type { Children } from './children.ts'
import { startNodeProgram } from './node-program.ts'
import type { OutsideServer, PermissionServer } from './options.ts'
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

/** Starts the identity provider; it sends browsers back to the Worker and the dashboard alone, which may ask it too. */
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
    IDENTITY_SERVER_ALLOWED_ORIGINS: new URL(settings.dashboardUrl).origin,
  })
}

export interface PermissionServerSettings {
  readonly databaseUrl: string
  readonly readPort: number
  readonly writePort: number
  readonly syntaxPort: number
  readonly secrets: Pick<Secrets, 'permission_admin_token' | 'permission_page_token_secret'>
}

/** Starts the permission server on the project's permission file. */
export async function startPermissionServer(
  children: Children,
  { databaseUrl, readPort, writePort, syntaxPort, secrets }: PermissionServerSettings,
): Promise<PermissionServer> {
  const server = {
    readUrl: `http://${LOOPBACK}:${readPort}`,
    writeUrl: `http://${LOOPBACK}:${writePort}`,
    syntaxUrl: `http://${LOOPBACK}:${syntaxPort}`,
    adminToken: secrets.permission_admin_token,
  }
  const urls = [server.readUrl, server.writeUrl, server.syntaxUrl]
  await startNodeProgram(children, {
    name: 'permission-server',
    file: 'stand-ins/permission-server/main.ts',
    variables: {
      PERMISSION_SERVER_DATABASE_URL: databaseUrl,
      PERMISSION_SERVER_READ_PORT: String(readPort),
      PERMISSION_SERVER_WRITE_PORT: String(writePort),
      PERMISSION_SERVER_SYNTAX_PORT: String(syntaxPort),
      PERMISSION_SERVER_WRITE_TOKEN: server.adminToken,
      // The Worker takes over this variable too: both look equally deep.
      PERMISSION_SERVER_DEPTH_MAX: process.env['PERMISSION_DEPTH_MAX'] ?? '',
      PERMISSION_SERVER_PAGE_TOKEN_SECRET: secrets.permission_page_token_secret,
    },
    readyUrls: urls.map(url => `${url}/health/ready`),
    what: 'the permission-server answers',
  })
  return server
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
    file: `stand-ins/${name}/main.ts`,
    variables,
    readyUrls: [`${server.publicUrl}/health/ready`, `${server.adminUrl}/health/ready`],
    what: `the ${name} answers`,
  })
  return server
}
