// What Hydra refuses of a client, in the order in which it looks, and the defaults it fills in. Nearly pure: only a
// sector identifier is fetched, by `sectorIdentifier` (sector-identifier.ts). Grant types, response types and
// authentication methods are not looked at, as in Hydra.

import { HydraError, malformed } from '../wire/hydra-error.ts'
import type { ClientFields } from './client-record.ts'

const SECRET_LENGTH_MIN = 6
const DEFAULT_SCOPE = 'offline_access offline openid'
const KEY_ALGORITHMS = /^(RS|PS|ES)(256|384|512)$/
const PAGES = ['tos_uri', 'policy_uri', 'logo_uri', 'client_uri'] as const

/** What is looked at: the fields and the secret in clear, empty when it stays as it is. */
export interface ClientCandidate {
  readonly fields: ClientFields
  readonly client_secret: string
}

/** Throws a `HydraError` when the document at `uri` does not list every one of `redirectUris`. */
export type SectorIdentifierCheck = (uri: string, redirectUris: readonly string[]) => Promise<void>

/** The fields to store; throws a `HydraError` 400. */
export async function validateClient(
  { fields, client_secret }: ClientCandidate,
  checkSectorIdentifier: SectorIdentifierCheck,
): Promise<ClientFields> {
  checkKeys(fields)
  for (const name of PAGES) checkPage(name, fields[name])
  if (client_secret !== '' && Buffer.byteLength(client_secret) < SECRET_LENGTH_MIN)
    throw invalid('Field client_secret must contain a secret that is at least 6 characters long.')
  const allowed_cors_origins = fields.allowed_cors_origins?.map(checkOrigin) ?? null
  if (fields.sector_identifier_uri !== '')
    await checkSectorIdentifier(fields.sector_identifier_uri, fields.redirect_uris ?? [])
  const userinfo_signed_response_alg = fields.userinfo_signed_response_alg || 'none'
  if (!['none', 'RS256'].includes(userinfo_signed_response_alg))
    throw invalid("Field userinfo_signed_response_alg can either be 'none' or 'RS256'.")
  for (const uri of fields.redirect_uris ?? []) checkRedirectUri(uri)
  const subject_type = checkSubjectType(fields)
  for (const uri of fields.post_logout_redirect_uris ?? [])
    checkPostLogoutUri(uri, fields.redirect_uris ?? [])
  return {
    ...fields,
    token_endpoint_auth_method: fields.token_endpoint_auth_method || 'client_secret_basic',
    scope: fields.scope || DEFAULT_SCOPE,
    allowed_cors_origins,
    client_secret_expires_at: 0,
    userinfo_signed_response_alg,
    subject_type,
    access_token_strategy: checkStrategy(fields.access_token_strategy),
  }
}

/** What a client may not say of itself when it registers at the public port; looked at before all else. */
export function refuseForRegistration(fields: ClientFields): void {
  if (fields.metadata !== undefined) throw invalid('"metadata" cannot be set for dynamic client registration')
  if (fields.access_token_strategy !== '')
    throw malformed('It is not allowed to choose your own access token strategy.')
  if (fields.skip_consent) throw notForRegistration('skip_consent')
  if (fields.skip_logout_consent) throw notForRegistration('skip_logout_consent')
}

function notForRegistration(field: string): HydraError {
  return new HydraError(400, 'invalid_request', `"${field}" cannot be set for dynamic client registration`)
}

function checkKeys(fields: ClientFields): void {
  const { jwks, jwks_uri, token_endpoint_auth_signing_alg: alg } = fields
  if (fields.token_endpoint_auth_method === 'private_key_jwt') {
    if (jwks_uri === '' && jwks === null)
      throw invalid("A client of method 'private_key_jwt' must have jwks or a jwks_uri.")
    if (alg !== '' && !KEY_ALGORITHMS.test(alg))
      throw invalid('Keys of clients sign by RS256, PS256, ES256 or their longer kin.')
  }
  if (jwks_uri !== '' && jwks !== null)
    throw invalid('Fields jwks and jwks_uri can not both be set, you must choose one.')
  if (jwks?.keys?.some(key => key['kty'] === 'oct')) throw invalid('Invalid JSON web key in set.')
}

function checkPage(name: string, uri: string): void {
  if (uri === '' || isHttp(URL.parse(uri))) return
  throw invalid(`${uri} must use https:// or http:// as HTTP scheme for field ${name}.`)
}

/** The origin in its plain form: without the slash that some write at its end. */
function checkOrigin(origin: string): string {
  const url = URL.parse(origin)
  if (url === null || !isHttp(url))
    throw invalid(`Origin URL ${origin} must use https:// or http:// as HTTP scheme.`)
  if (url.username + url.password + url.pathname.slice(1) + url.search + url.hash !== '')
    throw invalid(`Origin URL ${origin} must have no user, path, query or fragment.`)
  return url.origin
}

/** One without a host is taken too, as Hydra does; nobody is ever sent to it. */
function checkRedirectUri(uri: string): void {
  if (!uri.includes('#') && (uri.startsWith('/') || URL.canParse(uri))) return
  throw new HydraError(400, 'invalid_redirect_uri', `The redirect URI ${uri} has a fragment, or is no URI.`)
}

/** A pairwise client cannot have JWT access tokens: they would show the real subject. */
function checkSubjectType({ subject_type: asked, access_token_strategy: strategy }: ClientFields): string {
  const supported = strategy.toLowerCase() === 'jwt' ? ['public'] : ['public', 'pairwise']
  if (asked === '') return 'public'
  if (!supported.includes(asked))
    throw invalid(
      `Subject type ${asked} is not supported by server, only [${supported.join(' ')}] are allowed.`,
    )
  return asked
}

function checkPostLogoutUri(uri: string, redirectUris: readonly string[]): void {
  const url = URL.parse(uri)
  const isAtHome = redirectUris.some(redirectUri => {
    const redirect = URL.parse(redirectUri)
    return redirect !== null && redirect.protocol === url?.protocol && redirect.host === url.host
  })
  if (!isAtHome)
    throw invalid(`post_logout_redirect_uri ${uri} must have scheme, host and port of a redirect URI.`)
}

function checkStrategy(strategy: string): string {
  const plain = strategy.toLowerCase()
  if (['', 'jwt', 'opaque'].includes(plain)) return plain
  throw invalid(`invalid access token strategy: expected one of [jwt, opaque] but got ${plain}`)
}

function isHttp(url: URL | null): boolean {
  return url?.protocol === 'https:' || url?.protocol === 'http:'
}

/** The refusal of a client's metadata. */
export function invalid(reason = 'The value of one of the Client Metadata fields is invalid.'): HydraError {
  return new HydraError(400, 'invalid_client_metadata', reason)
}
