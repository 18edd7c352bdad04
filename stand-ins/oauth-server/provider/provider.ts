// oidc-provider as this server uses it: it authenticates clients, reads token requests, revokes tokens, gives device
// codes, and keeps codes and tokens. Its login sessions, interactions, ID tokens and userinfo are not used: there
// Hydra's behaviour is another (flow/, tokens/ say how).

import { generateKeyPairSync } from 'node:crypto'
import { type Adapter, type Configuration, Provider } from 'oidc-provider'
import type { OAuthServerContext } from '../context.ts'
import { opaqueValue } from '../tokens/token-values.ts'
import { libraryClient } from './library-client.ts'
import { makeEntryAdapter } from './provider-adapter.ts'

export const TOKEN_PATH = '/oauth2/token'
export const REVOCATION_PATH = '/oauth2/revoke'
export const DEVICE_AUTHORIZATION_PATH = '/oauth2/device/auth'
export const DEVICE_VERIFICATION_PATH = '/oauth2/device/verify'

type LibraryClient = InstanceType<Provider['Client']>
type ProviderParts = Pick<OAuthServerContext, 'settings' | 'addresses' | 'database' | 'clients'>

/** Called with each request for a device code; throws what Hydra would refuse. */
export type DeviceRequestCheck = (clientId: string, form: Readonly<Record<string, unknown>>) => Promise<void>

/** The library over our database and clients. Its grants are registered by provider-endpoints.ts. */
export function makeProvider(parts: ProviderParts, checkDeviceRequest: DeviceRequestCheck): Provider {
  const provider = new Provider(parts.addresses.public, configuration(parts, checkDeviceRequest))
  Object.assign(provider.Client.prototype, {
    // Whether the secret came the registered way is settled by then (client-request.ts).
    async compareClientSecret(this: LibraryClient, secret: string) {
      return parts.clients.checkSecret({ client_id: this.clientId }, secret)
    },
  })
  Object.assign(provider.DeviceCode.prototype, { generateTokenId: () => opaqueValue('deviceCode') })
  return provider
}

function configuration(parts: ProviderParts, checkDeviceRequest: DeviceRequestCheck): Configuration {
  return {
    adapter: kind => (kind === 'Client' ? clientAdapter(parts) : makeEntryAdapter(parts.database, kind)),
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'],
    cookies: { keys: [parts.settings.systemSecret] },
    jwks: { keys: [unusedKey()] },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    responseTypes: ['code'],
    ttl: { DeviceCode: parts.settings.ttlSeconds.deviceUserCode },
    routes: {
      token: TOKEN_PATH,
      revocation: REVOCATION_PATH,
      device_authorization: DEVICE_AUTHORIZATION_PATH,
      code_verification: DEVICE_VERIFICATION_PATH,
    },
    extraParams: {
      // The library runs this for each device request, with or without an audience.
      audience: async ctx => {
        const { body, client, params } = ctx.oidc
        await checkDeviceRequest(client?.clientId ?? '', body ?? {})
        // By now the library has dropped the scopes that it does not know.
        if (params) params['scope'] = body?.['scope']
      },
    },
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      resourceIndicators: { enabled: false },
      dPoP: { enabled: false },
      revocation: {
        enabled: true,
        allowedPolicy: async (_ctx, client, token) => client.clientId === token.clientId,
      },
      deviceFlow: { enabled: true, charset: 'base-20', mask: '********', deviceInfo: () => ({}) },
    },
    // Hydra answers a page of any origin; whether the browser lets it read that is wire/cors.ts' affair.
    clientBasedCORS: () => true,
    revokeGrantPolicy: () => true,
  }
}

/** Clients are read only: they are changed by the admin API. */
function clientAdapter({ clients }: ProviderParts): Adapter {
  const readOnly = () => Promise.reject(new Error('clients are not written by the library'))
  return {
    find: async id => {
      const client = await clients.find(id)
      return client && libraryClient(client)
    },
    findByUserCode: async () => undefined,
    findByUid: async () => undefined,
    upsert: readOnly,
    consume: readOnly,
    destroy: readOnly,
    revokeByGrantId: readOnly,
  }
}

/** The library insists on a key of its own; nothing that it signs with it leaves this server. */
function unusedKey() {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { ...privateKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig' }
}
