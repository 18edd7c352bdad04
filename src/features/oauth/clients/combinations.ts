// What the settings of a client may not be together. Pure. The OAuth2 server stores most of these without a word, and
// the client then fails in front of its first user.

import { DomainError, type ErrorCode } from '../../../errors.ts'
import { DEVICE_CODE_GRANT } from './fields.ts'
import type { OAuthClient, OAuthClientIn } from './schemas.ts'

/** The settings that rules are about: of a new client, or of one as it would be after a change. */
export type ClientSettings = Pick<
  OAuthClient,
  | 'grant_types'
  | 'response_types'
  | 'redirect_uris'
  | 'post_logout_redirect_uris'
  | 'token_endpoint_auth_method'
  | 'subject_type'
  | 'sector_identifier_uri'
  | 'access_token_strategy'
>
type Setting = keyof ClientSettings

interface Problem {
  /** The field to mend, and the index in it. */
  field: Setting
  index?: number
  message: string
  code?: ErrorCode
}

interface Rule {
  /** A change of other settings is not refused for what an older one left. */
  settings: readonly Setting[]
  find: (client: ClientSettings) => Problem | undefined
}

/**
 * Refuses settings that cannot work together with `validation_failed`, and pairwise subjects with JWT access tokens
 * with `unsupported_combination`. `sent` is what the caller asked for: only rules about it are applied.
 */
export function refuseBadCombinations(client: ClientSettings, sent: OAuthClientIn): void {
  const problems = RULES.filter(({ settings }) => settings.some(setting => sent[setting] !== undefined))
    .map(({ find }) => find(client))
    .filter(problem => problem !== undefined)
  const [first] = problems
  if (first === undefined) return
  const sentences = problems.map(problem => `${placeOf(problem, sent)}: ${problem.message}`)
  throw new DomainError(first.code ?? 'validation_failed', sentences[0] ?? first.message, {
    detail: sentences.length > 1 ? sentences.join('; ') : undefined,
    hint: 'Nothing was changed. What is left out of a change keeps its value and counts here too.',
  })
}

/** The settings of a client once what was sent is written. */
export function settingsAfter(before: ClientSettings, sent: OAuthClientIn): ClientSettings {
  const { sector_identifier_uri = before.sector_identifier_uri } = sent
  const { access_token_strategy = before.access_token_strategy } = sent
  return {
    grant_types: sent.grant_types ?? before.grant_types,
    response_types: sent.response_types ?? before.response_types,
    redirect_uris: sent.redirect_uris ?? before.redirect_uris,
    post_logout_redirect_uris: sent.post_logout_redirect_uris ?? before.post_logout_redirect_uris,
    token_endpoint_auth_method: sent.token_endpoint_auth_method ?? before.token_endpoint_auth_method,
    subject_type: sent.subject_type ?? before.subject_type,
    sector_identifier_uri,
    access_token_strategy,
  }
}

function placeOf({ field, index }: Problem, sent: OAuthClientIn): string {
  const path = index === undefined ? field : `${field}.${index}`
  return sent[field] === undefined ? path : `body.${path}`
}

const RULES: readonly Rule[] = [
  { settings: ['grant_types', 'response_types'], find: responseTypeWithoutGrant },
  { settings: ['grant_types'], find: refreshTokenAlone },
  { settings: ['grant_types', 'redirect_uris'], find: nowhereToRedirect },
  { settings: ['grant_types', 'token_endpoint_auth_method'], find: credentialsWithoutSecret },
  { settings: ['redirect_uris', 'post_logout_redirect_uris'], find: foreignPostLogoutUri },
  {
    settings: ['subject_type', 'sector_identifier_uri', 'redirect_uris', 'grant_types'],
    find: pairwiseWithoutSector,
  },
  { settings: ['subject_type', 'access_token_strategy'], find: pairwiseWithJwt },
]

/** OpenID Connect Registration section 2, response_types: which grants each of them needs. */
function responseTypeWithoutGrant(client: ClientSettings): Problem | undefined {
  const grants = grantsOf(client)
  for (const [index, type] of client.response_types.entries()) {
    const words = type.split(' ')
    const needed = [
      words.includes('code') ? 'authorization_code' : undefined,
      words.includes('token') || words.includes('id_token') ? 'implicit' : undefined,
    ]
    const missing = needed.find(grant => grant !== undefined && !grants.includes(grant))
    if (missing !== undefined)
      return {
        field: 'response_types',
        index,
        message: `"${type}" needs the grant type ${missing}, which the client does not have`,
      }
  }
  return undefined
}

function refreshTokenAlone(client: ClientSettings): Problem | undefined {
  const grants = grantsOf(client)
  if (!grants.includes('refresh_token')) return undefined
  if (grants.includes('authorization_code') || grants.includes(DEVICE_CODE_GRANT)) return undefined
  return {
    field: 'grant_types',
    index: client.grant_types.indexOf('refresh_token'),
    message: `refresh_token needs authorization_code or ${DEVICE_CODE_GRANT}: no other grant issues refresh tokens`,
  }
}

function nowhereToRedirect(client: ClientSettings): Problem | undefined {
  const grant = grantsOf(client).find(name => name === 'authorization_code' || name === 'implicit')
  if (grant === undefined || client.redirect_uris.length > 0) return undefined
  return { field: 'redirect_uris', message: `the grant type ${grant} needs at least one redirect URI` }
}

function credentialsWithoutSecret(client: ClientSettings): Problem | undefined {
  if (client.token_endpoint_auth_method !== 'none') return undefined
  const index = client.grant_types.indexOf('client_credentials')
  if (index === -1) return undefined
  return {
    field: 'token_endpoint_auth_method',
    message: 'none cannot go with the grant type client_credentials, in which the client proves who it is',
  }
}

/** A rule of the OAuth2 server's, told with the index. */
function foreignPostLogoutUri(client: ClientSettings): Problem | undefined {
  const places = new Set(client.redirect_uris.map(placeOfUri))
  const index = client.post_logout_redirect_uris.findIndex(uri => !places.has(placeOfUri(uri)))
  if (index === -1) return undefined
  return {
    field: 'post_logout_redirect_uris',
    index,
    message: 'must have the scheme, host and port of one of the redirect URIs',
  }
}

/** Without a sector the server takes the host of the one redirect URI, and fails when there are several or none. */
function pairwiseWithoutSector(client: ClientSettings): Problem | undefined {
  if (client.subject_type !== 'pairwise' || client.sector_identifier_uri) return undefined
  const hasUsers = grantsOf(client).some(grant => grant !== 'client_credentials')
  const { length } = client.redirect_uris
  if (length === 1 || (length === 0 && !hasUsers)) return undefined
  const redirects = length === 0 ? 'no redirect URI' : 'several redirect URIs'
  return {
    field: 'sector_identifier_uri',
    message: `subject_type pairwise needs it for a client with ${redirects}`,
  }
}

function pairwiseWithJwt(client: ClientSettings): Problem | undefined {
  if (client.subject_type !== 'pairwise' || client.access_token_strategy !== 'jwt') return undefined
  return {
    field: 'access_token_strategy',
    message:
      'jwt cannot go with subject_type pairwise: a JWT access token would carry the subject that pairwise is to hide',
    code: 'unsupported_combination',
  }
}

/** The server reads an empty list as authorization_code. */
function grantsOf({ grant_types }: ClientSettings): readonly string[] {
  return grant_types.length === 0 ? ['authorization_code'] : grant_types
}

/** A client that was made elsewhere may have redirect URIs that are none. */
function placeOfUri(uri: string): string {
  if (!URL.canParse(uri)) return uri
  const { protocol, host } = new URL(uri)
  return `${protocol}//${host}`
}
