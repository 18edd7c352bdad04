// Who a request to the token, revocation or device endpoint is from, and which of its repeated or rival values count.
// As Hydra has it (fosite's client_authentication.go).

import { createLocalJWKSet, decodeJwt, jwtVerify } from 'jose'
import { clientKeys } from '../clients/client-keys.ts'
import type { Client } from '../clients/client-record.ts'
import type { OAuthServerContext, RequestContext } from '../context.ts'
import { invalidClient, invalidRequest } from '../flow/oauth-errors.ts'
import { readBodyForm } from '../flow/request-form.ts'
import { requestedAudience, words } from '../flow/scope-matching.ts'
import type { TokenStore } from './token-store.ts'

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

export type AuthenticationDeps = Pick<OAuthServerContext, 'addresses' | 'clients' | 'fetch' | 'now'> & {
  readonly tokenStore: TokenStore
}

/** The first of repeated values counts; scopes and audiences become lists without repetitions. */
export async function readFields(c: RequestContext): Promise<URLSearchParams> {
  const form = await readBodyForm(c)
  if (form.size === 0) throw invalidRequest('The POST body can not be empty.')
  const fields = new URLSearchParams()
  for (const name of new Set(form.keys())) fields.set(name, form.get(name) ?? '')
  fields.set('grant_type', words(form.get('grant_type')).join(' '))
  fields.set('scope', [...new Set(words(form.get('scope')))].join(' '))
  fields.set('audience', [...new Set(requestedAudience(form))].join(' '))
  return fields
}

/**
 * The client of the request, proven the way that it registered; throws 401 `invalid_client` for any other. An assertion
 * beats all else that is shown (RFC 7523 §2.2), a Basic header the form (RFC 6749 §2.3.1).
 */
export async function authenticateClient(
  deps: AuthenticationDeps,
  c: RequestContext,
  fields: URLSearchParams,
): Promise<Client> {
  const assertionType = fields.get('client_assertion_type')
  if (assertionType) return clientOfAssertion(deps, fields, assertionType)
  const basic = basicCredentials(c.req.header('authorization'))
  const id = basic?.id ?? fields.get('client_id')
  if (!id) throw invalidRequest('Client credentials are missing in both the header and the body.')
  const client = await deps.clients.find(id)
  if (!client) throw invalidClient()
  const method = client.token_endpoint_auth_method || 'client_secret_basic'
  const inForm = fields.get('client_id') ? (fields.get('client_secret') ?? '') : ''
  const used = { client_secret_post: inForm, client_secret_basic: basic?.secret ?? '' }
  for (const [way, secret] of Object.entries(used)) {
    if (secret !== '' && way !== method) throw invalidClient(`The client is registered for '${method}'.`)
  }
  if (method === 'none') return client
  const secret = basic ? basic.secret : inForm
  if (secret === '' || !(await deps.clients.checkSecret(client, secret))) throw invalidClient()
  return client
}

async function clientOfAssertion(
  deps: AuthenticationDeps,
  fields: URLSearchParams,
  type: string,
): Promise<Client> {
  if (type !== ASSERTION_TYPE) throw invalidRequest(`Unknown client_assertion_type '${type}'.`)
  const assertion = fields.get('client_assertion')
  if (!assertion) throw invalidRequest('The client_assertion is missing.')
  const id = fields.get('client_id') || subjectOf(assertion)
  const client = id ? await deps.clients.find(id) : undefined
  if (client?.token_endpoint_auth_method !== 'private_key_jwt') throw invalidClient(UNVERIFIED)
  const { jti, exp } = await verified(deps, client, assertion).catch(() => {
    throw invalidClient(UNVERIFIED)
  })
  if (!(await deps.tokenStore.useAssertion(client.client_id, String(jti), Number(exp))))
    throw invalidClient('The client_assertion was used before.')
  return client
}

function subjectOf(assertion: string): string | undefined {
  try {
    return decodeJwt(assertion).sub
  } catch {
    // No JWT at all: nobody's.
    return undefined
  }
}

async function verified(deps: AuthenticationDeps, client: Client, assertion: string) {
  const { client_id: id, token_endpoint_auth_signing_alg: alg } = client
  const server = deps.addresses.public
  const { payload } = await jwtVerify(assertion, createLocalJWKSet(await clientKeys(deps.fetch, client)), {
    algorithms: [alg || 'RS256'],
    issuer: id,
    subject: id,
    audience: [server, ...['token', 'revoke', 'device/auth'].map(path => `${server}/oauth2/${path}`)],
    requiredClaims: ['exp', 'jti'],
    currentDate: new Date(deps.now()),
  })
  return payload
}

const UNVERIFIED = "Unable to verify the integrity of the 'client_assertion' value."

/** Undefined for any header that is none. */
function basicCredentials(authorization = ''): { id: string; secret: string } | undefined {
  const [, encoded = ''] = /^basic ([A-Za-z0-9+/]+={0,2})$/i.exec(authorization) ?? []
  const [, id, secret] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? []
  if (id === undefined || secret === undefined) return undefined
  const decode = (text: string) => decodeURIComponent(text.replaceAll('+', ' '))
  try {
    return { id: decode(id), secret: decode(secret) }
  } catch {
    throw invalidRequest('The credentials of the Authorization header are not form-encoded.')
  }
}
