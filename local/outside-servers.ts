// The OAuth2 server and the identity provider as child processes: what they are told about each other, about the
// Worker's bridge, and about their own databases. In production they are servers of their own (docs/deploy.md).

import { join } from 'node:path'
import type { Children } from './children.ts'
import type { OutsideServer } from './options.ts'
import { LOOPBACK } from './ports.ts'
import { PROJECT_DIR } from './project.ts'
import type { Secrets } from './secrets.ts'
import { waitUntil } from './wait.ts'

const START_DEADLINE_MS = 20_000
const PROBE_TIMEOUT_MS = 5_000

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
  await children.start({
    name,
    command: process.execPath,
    args: [join(PROJECT_DIR, 'local', name, 'main.ts')],
    env: { ...process.env, ...variables },
    cwd: PROJECT_DIR,
    endSignal: 'SIGTERM',
    killSignal: 'SIGKILL',
  })
  const server = {
    publicUrl: `http://${LOOPBACK}:${publicPort}`,
    adminUrl: `http://${LOOPBACK}:${adminPort}`,
  }
  await waitUntil(
    { what: `the ${name} answers`, deadlineMs: START_DEADLINE_MS, stopped: children.stopped },
    () => isReady(server),
  )
  return server
}

async function isReady({ publicUrl, adminUrl }: OutsideServer): Promise<true> {
  for (const url of [publicUrl, adminUrl]) {
    const response = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) })
    const text = await response.text()
    if (!response.ok) throw new Error(`${response.status} ${text.slice(0, 200)}`)
  }
  return true
}
