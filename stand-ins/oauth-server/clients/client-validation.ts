// What Hydra refuses of a client, in the order in which it looks, and the defaults it fills in. Nearly pure: only a
// sector identifier is fetched, by `sectorIdentifier` (sector-identifier.ts). Grant types, response types and
// authentication methods are not looked at, as in Hydra.

import { isAsymmetricJwk } from '../keys/jwk.ts'
import { type GoUrl, hostnameOf, originText, parseRequestUri, parseUrl, portOf } from '../wire/go-url.ts'
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
  const redirects = (fields.redirect_uris ?? []).map(checkRedirectUri)
  const subject_type = checkSubjectType(fields)
  for (const uri of fields.post_logout_redirect_uris ?? []) checkPostLogoutUri(uri, redirects)
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
      throw invalid(
        "When token_endpoint_auth_method is 'private_key_jwt', either jwks or jwks_uri must be set.",
      )
    if (alg !== '' && !KEY_ALGORITHMS.test(alg))
      throw invalid(
        'Only RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384 and ES512 are supported as algorithms ' +
          'for private key authentication.',
      )
  }
  if (jwks_uri !== '' && jwks !== null)
    throw invalid('Fields jwks and jwks_uri can not both be set, you must choose one.')
  if (jwks?.keys?.some(key => !isAsymmetricJwk(key))) throw invalid('Invalid JSON web key in set.')
}

function checkPage(name: string, uri: string): void {
  if (uri === '') return
  const url = parseRequestUri(uri)
  if (url === undefined) throw invalid(`Field ${name} must be a valid URI.`)
  if (!isHttp(url)) throw invalid(`${uri} must use https:// or http:// as HTTP scheme for field ${name}.`)
}

/** The origin in its plain form: without the slash that some write at its end. */
function checkOrigin(origin: string): string {
  const url = parseUrl(origin)
  if (url === undefined) throw invalid(`Origin URL ${origin} from allowed_cors_origins could not be parsed.`)
  if (!isHttp(url)) throw invalid(`Origin URL ${origin} must use https:// or http:// as HTTP scheme.`)
  if (url.user) throw invalid(`Origin URL ${origin} has HTTP user and/or password set which is not allowed.`)
  if (url.path.replace(/\/+$/, '') + url.query + url.fragment !== '')
    throw invalid(
      `Origin URL ${origin} must have an empty path, query, and fragment but one of the parts is not empty.`,
    )
  return originText(url)
}

function checkRedirectUri(uri: string): GoUrl {
  const url = uri.includes('#') ? undefined : parseRequestUri(uri)
  if (url !== undefined) return url
  const hint = uri.includes('#')
    ? 'Redirect URIs must not contain fragments (#).'
    : `Unable to parse redirect URL: ${uri}`
  throw new HydraError(
    400,
    'invalid_redirect_uri',
    `The value of one or more redirect_uris is invalid. ${hint}`,
  )
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

function checkPostLogoutUri(uri: string, redirects: readonly GoUrl[]): void {
  const url = parseRequestUri(uri)
  if (url === undefined) throw invalid(`Unable to parse post_logout_redirect_uri: ${uri}`)
  const isAtHome = redirects.some(
    redirect =>
      redirect.scheme === url.scheme &&
      hostnameOf(redirect) === hostnameOf(url) &&
      portOf(redirect) === portOf(url),
  )
  if (!isAtHome)
    throw invalid(
      `post_logout_redirect_uri "${uri}" must match the domain, port, scheme of at least one of the ` +
        'registered redirect URIs but did not',
    )
}

function checkStrategy(strategy: string): string {
  const plain = strategy.toLowerCase()
  if (['', 'jwt', 'opaque'].includes(plain)) return plain
  throw invalid(`invalid access token strategy: expected one of [jwt, opaque] but got ${plain}`)
}

function isHttp({ scheme }: GoUrl): boolean {
  return scheme === 'https' || scheme === 'http'
}

/** The refusal of a client's metadata; `hint` follows Hydra's sentence. */
export function invalid(hint = ''): HydraError {
  const sentence =
    'The value of one of the Client Metadata fields is invalid and the server has rejected this request. ' +
    'Note that an Authorization Server MAY choose to substitute a valid value for any requested parameter ' +
    "of a Client's Metadata."
  return new HydraError(400, 'invalid_client_metadata', hint === '' ? sentence : `${sentence} ${hint}`)
}
