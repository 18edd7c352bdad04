// A client as these pages speak of it: what its grants and ways to authenticate are called and are for. Pure.

import type { Schema } from '../../../api/schema.ts'
import { DEVICE_GRANT } from '../../../parts/oauth/grants.ts'

export type Client = Schema<'OAuthClient'>

/** In the order in which people meet them. */
export const GRANTS = [
  {
    value: 'authorization_code',
    label: 'Authorization code',
    short: 'code',
    sentence:
      'People sign in in their browser and come back with a code. The way for almost every application.',
  },
  {
    value: 'refresh_token',
    label: 'Refresh token',
    short: 'refresh',
    sentence: 'New access tokens without signing in again; the scope offline_access asks for it.',
  },
  {
    value: 'client_credentials',
    label: 'Client credentials',
    short: 'machine',
    sentence: 'The application acts for itself, with nobody signed in. It needs a secret.',
  },
  {
    value: DEVICE_GRANT,
    label: 'Device code',
    short: 'device',
    sentence: 'A television or a command line shows a code, and its owner signs in on another device.',
  },
  {
    value: 'implicit',
    label: 'Implicit',
    short: 'implicit',
    sentence: 'Tokens in the address. Deprecated: for old applications only; use the code with PKCE.',
  },
] as const

export const AUTH_METHODS = [
  {
    value: 'client_secret_basic',
    label: 'Secret in the header',
    sentence: 'client_secret_basic: a confidential client, which runs on a server. What most libraries do.',
  },
  {
    value: 'client_secret_post',
    label: 'Secret in the form',
    sentence: 'client_secret_post: a confidential client whose library cannot send the header.',
  },
  {
    value: 'none',
    label: 'No secret',
    sentence:
      'none: a public client, in a browser or on a device, where no secret is safe. It must use PKCE.',
  },
] as const

/** `code, refresh`; a grant of another tool's is shown as it is. */
export function grantsInShort(grants: readonly string[]): string {
  return grants.map(grant => GRANTS.find(({ value }) => value === grant)?.short ?? grant).join(', ')
}

export function nameOf({
  client_name: name,
  client_id: id,
}: Pick<Client, 'client_name' | 'client_id'>): string {
  return name.trim() || id
}

export function isPublic({ token_endpoint_auth_method: method }: Pick<Client, 'token_endpoint_auth_method'>) {
  return method === 'none'
}
