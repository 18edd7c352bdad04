// How a client's request to the token, revocation or device endpoint is read before oidc-provider sees it. The library
// refuses what Hydra (fosite's client_authentication.go) takes: repeated parameters, Basic credentials beside another
// `client_id`, a secret beside a foreign header. What is left here for the library is a form it knows how to judge.

import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import type { OAuthServerContext, RequestContext } from '../context.ts'
import { invalidClient, invalidRequest } from '../flow/oauth-errors.ts'
import { readBodyForm } from '../flow/request-form.ts'
import { requestedAudience, words } from '../flow/scope-matching.ts'

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/** What the endpoints differ in. */
interface EndpointRules {
  /** The grants of the token endpoint; others have none. */
  readonly grantTypes?: readonly string[]
  /** The form names the client even where a header does. RFC 8628 §3.1. */
  readonly mustNameClient?: boolean
}

/** Who the request says it is from; the secret is empty for none. */
interface PresentedClient {
  readonly id: string
  readonly secret: string
  readonly isBasic: boolean
}

/**
 * The request as the library is to read it: one value for each parameter, and the client's credentials in the form.
 * Throws what Hydra refuses before it looks at the secret.
 */
export async function readClientRequest(
  { clients }: Pick<OAuthServerContext, 'clients'>,
  c: RequestContext,
  { grantTypes, mustNameClient }: EndpointRules,
): Promise<IncomingMessage> {
  const { incoming } = c.env
  const form = await readBodyForm(c)
  // Nothing to read: the library refuses bodies of other types, and empty ones.
  if (form.size === 0) return requestWith(incoming, '')
  const fields = singleFields(form)
  if (grantTypes) checkGrantType(fields.get('grant_type') ?? '', grantTypes)
  if (!settleAssertion(fields)) {
    const presented = presentedClient(incoming.headers.authorization, fields)
    const client = await clients.find(presented.id)
    if (!client) throw invalidClient()
    const method = client.token_endpoint_auth_method || 'client_secret_basic'
    checkMethod(method, presented, fields)
    if (mustNameClient && fields.get('client_id') !== presented.id) {
      throw invalidRequest('Provided client_id mismatch.')
    }
    fields.set('client_id', presented.id)
    fields.delete('client_secret')
    // A public client needs no secret, and may give any.
    if (presented.secret && method !== 'none') fields.set('client_secret', presented.secret)
  }
  return requestWith(incoming, fields.toString())
}

/** The first of repeated values counts; scopes and audiences become lists without repetitions. */
function singleFields(form: URLSearchParams): URLSearchParams {
  const fields = new URLSearchParams()
  for (const name of new Set(form.keys())) fields.set(name, form.get(name) ?? '')
  fields.set('grant_type', words(form.get('grant_type')).join(' '))
  fields.set('scope', [...new Set(words(form.get('scope')))].join(' '))
  fields.set('audience', [...new Set(requestedAudience(form))].join(' '))
  return fields
}

/** Comes before the client is looked at. */
function checkGrantType(grantType: string, known: readonly string[]): void {
  if (grantType === '') throw invalidRequest("Request parameter 'grant_type' is missing")
  if (!known.includes(grantType)) throw invalidRequest()
}

/** Whether the client shows an assertion; what else it shows then counts for nothing. RFC 7523 §2.2. */
function settleAssertion(fields: URLSearchParams): boolean {
  const type = fields.get('client_assertion_type')
  if (!type) {
    fields.delete('client_assertion')
    return false
  }
  if (type !== ASSERTION_TYPE) throw invalidRequest(`Unknown client_assertion_type '${type}'.`)
  if (!fields.get('client_assertion')) {
    throw invalidRequest(
      `The client_assertion request parameter must be set when using client_assertion_type of '${type}'.`,
    )
  }
  fields.delete('client_secret')
  return true
}

/** The client of a Basic header, else of the form. RFC 6749 §2.3.1. */
function presentedClient(authorization: string | undefined, fields: URLSearchParams): PresentedClient {
  const basic = basicCredentials(authorization)
  if (basic)
    return { id: unescaped(basic.id, 'id'), secret: unescaped(basic.secret, 'secret'), isBasic: true }
  const id = fields.get('client_id')
  if (!id) {
    throw invalidRequest(
      'Client credentials missing or malformed in both HTTP Authorization header and HTTP POST body.',
    )
  }
  return { id, secret: fields.get('client_secret') ?? '', isBasic: false }
}

/** As Go's `Request.BasicAuth`: undefined for any header that is none. */
function basicCredentials(authorization = ''): { id: string; secret: string } | undefined {
  const [, encoded = ''] =
    /^basic ((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/i.exec(authorization) ?? []
  const text = Buffer.from(encoded, 'base64').toString()
  const colon = text.indexOf(':')
  return colon < 0 ? undefined : { id: text.slice(0, colon), secret: text.slice(colon + 1) }
}

function unescaped(text: string, what: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw invalidRequest(
      `The client ${what} in the HTTP authorization header could not be decoded from ` +
        "'application/x-www-form-urlencoded'.",
    )
  }
}

/** A secret must come the way that the client has registered; one that is missing is found missing by the library. */
function checkMethod(method: string, { isBasic, secret }: PresentedClient, fields: URLSearchParams): void {
  const used = []
  if (fields.get('client_id') && fields.get('client_secret')) used.push('client_secret_post')
  if (isBasic && secret) used.push('client_secret_basic')
  const wrong = used.find(way => way !== method)
  if (wrong === undefined) return
  throw invalidClient(
    `The OAuth 2.0 Client supports client authentication method '${method}', but method '${wrong}' was ` +
      `requested. You must configure the OAuth 2.0 client's 'token_endpoint_auth_method' value to accept '${wrong}'.`,
  )
}

/** `incoming` again with another body and without its credentials; the library reads it as if it had just arrived. */
function requestWith(incoming: IncomingMessage, body: string): IncomingMessage {
  const { authorization: _shown, 'transfer-encoding': _chunked, ...headers } = incoming.headers
  const request = new IncomingMessage(new Socket())
  request.method = incoming.method ?? 'POST'
  request.url = incoming.url ?? ''
  request.headers = { ...headers, 'content-length': String(Buffer.byteLength(body)) }
  request.push(body)
  request.push(null)
  return request
}
