// Request objects: an authorization request as a JWT of the client, by value or by reference. OpenID Connect Core 1.0
// §6. What the object says wins over the query; without the scope `openid` it is not looked at.

import { compactVerify, createLocalJWKSet, decodeProtectedHeader } from 'jose'
import { clientKeys, fetchText } from '../clients/client-keys.ts'
import type { Client } from '../clients/client-record.ts'
import type { OAuthServerContext } from '../context.ts'
import { invalidRequest, invalidRequestObject, invalidRequestUri } from './oauth-errors.ts'
import { words } from './scope-matching.ts'

type ObjectDeps = Pick<OAuthServerContext, 'fetch' | 'now'>

/** The parameters of `form` with those of its request object. Throws what makes the object unusable. */
export async function withRequestObject(
  deps: ObjectDeps,
  client: Client,
  form: URLSearchParams,
): Promise<URLSearchParams> {
  const [byValue, byReference] = [form.get('request'), form.get('request_uri')]
  const scopes = words(form.get('scope'))
  if (!scopes.includes('openid') || (!byValue && !byReference)) return form
  if (byValue && byReference) {
    throw invalidRequest('request and request_uri were both given.')
  }
  if (!client.jwks?.keys?.length && !client.jwks_uri) throw invalidRequest('The client has no keys.')
  const object = byValue || (await fetchObject(deps, client, byReference ?? ''))
  const claims = await readObject(deps, client, object)
  const merged = new URLSearchParams(form)
  for (const [name, value] of Object.entries(claims)) merged.set(name, String(value))
  merged.set('scope', [...new Set([...words(merged.get('scope')), ...scopes])].join(' '))
  return merged
}

async function fetchObject(deps: ObjectDeps, client: Client, uri: string): Promise<string> {
  if (!client.request_uris?.includes(uri)) {
    throw invalidRequestUri(`Request URI '${uri}' is not whitelisted by the OAuth 2.0 Client.`)
  }
  const text = await fetchText(deps.fetch, uri).catch((err: unknown) => {
    throw invalidRequestUri(`Unable to fetch the request object: ${String(err)}.`)
  })
  return text.trim()
}

async function readObject(
  deps: ObjectDeps,
  client: Client,
  object: string,
): Promise<Record<string, unknown>> {
  const algorithm = algorithmOf(object)
  const required = client.request_object_signing_alg
  if (required && required !== algorithm) {
    throw invalidRequestObject(`The client signs its request objects by ${required}.`)
  }
  const claims = algorithm === 'none' ? readUnsigned(object) : await readSigned(deps, client, object)
  if (!isInItsTime(claims, deps.now() / 1000)) throw invalidRequestObject('It is not in its time.')
  return claims
}

function isInItsTime({ exp, nbf, iat }: Record<string, unknown>, nowSeconds: number): boolean {
  if (typeof exp === 'number' && exp < nowSeconds) return false
  return [nbf, iat].every(from => typeof from !== 'number' || from <= nowSeconds)
}

function algorithmOf(object: string): string {
  try {
    return String(decodeProtectedHeader(object).alg)
  } catch {
    throw invalidRequestObject('The request object is no JSON Web Token.')
  }
}

function readUnsigned(object: string): Record<string, unknown> {
  try {
    // Not jose's, which judges the times of an unsigned object itself.
    const [, payload = '', signature, ...more] = object.split('.')
    if (signature !== '' || more.length > 0) throw new Error('three parts, the last empty')
    return { ...JSON.parse(Buffer.from(payload, 'base64url').toString()) }
  } catch {
    throw invalidRequestObject('The unsigned request object cannot be decoded.')
  }
}

async function readSigned(
  deps: ObjectDeps,
  client: Client,
  object: string,
): Promise<Record<string, unknown>> {
  try {
    const keys = createLocalJWKSet(await clientKeys(deps.fetch, client))
    const { payload } = await compactVerify(object, keys)
    return { ...JSON.parse(new TextDecoder().decode(payload)) }
  } catch {
    throw invalidRequestObject("Unable to verify the request object's signature.")
  }
}
