// What programs are written for: a client, and the server that it is registered at. Pure.

import type { Schema } from '../../../api/schema.ts'
import { DEVICE_GRANT } from '../../../parts/oauth/grants.ts'

/** The ways to a token, in the order in which they are offered. */
export const FLOWS = ['code', 'machine', 'device'] as const
export type Flow = (typeof FLOWS)[number]

const GRANT_OF: Record<Flow, string> = {
  code: 'authorization_code',
  machine: 'client_credentials',
  device: DEVICE_GRANT,
}

export const FLOW_LABELS: Record<Flow, string> = {
  code: 'Authorization code with PKCE',
  machine: 'Client credentials',
  device: 'Device code',
}

/** All that a program is written with. Never a secret: programs read it from their environment. */
export interface Given {
  issuer: string
  authorizationEndpoint: string
  tokenEndpoint: string
  deviceEndpoint: string
  clientId: string
  method: 'none' | 'client_secret_basic' | 'client_secret_post'
  /** Empty where the client has none. */
  redirectUri: string
  /** Words with a space between them; empty: the server's own choice. */
  scope: string
}

export function flowsOf({ grant_types: grants }: Schema<'OAuthClient'>): Flow[] {
  return FLOWS.filter(flow => grants.includes(GRANT_OF[flow]))
}

/** For people alone: nobody signs in with client credentials. */
const SCOPES_OF_PEOPLE = ['openid', 'offline_access', 'offline']

export function givenOf(
  client: Schema<'OAuthClient'>,
  server: Schema<'DiscoveryDocument'>,
  flow: Flow,
): Given {
  const scopes = client.scope.split(' ').filter(Boolean)
  const method = client.token_endpoint_auth_method
  return {
    issuer: String(server.issuer),
    authorizationEndpoint: String(server.authorization_endpoint),
    tokenEndpoint: String(server.token_endpoint),
    deviceEndpoint: String(server['device_authorization_endpoint'] ?? `${server.issuer}/oauth2/device/auth`),
    clientId: client.client_id,
    method: method === 'none' || method === 'client_secret_post' ? method : 'client_secret_basic',
    redirectUri: client.redirect_uris.find(isPlain) ?? client.redirect_uris[0] ?? '',
    scope: scopes.filter(scope => flow !== 'machine' || !SCOPES_OF_PEOPLE.includes(scope)).join(' '),
  }
}

/** True without a query of its own, which openid-client takes off the address that it is given. */
export function isPlain(redirectUri: string): boolean {
  if (!URL.canParse(redirectUri)) return false
  const url = new URL(redirectUri)
  url.search = ''
  return url.href === redirectUri
}
