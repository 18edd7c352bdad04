// Reads API key and access token out of a request's headers. Decides nothing about whether they are good.

import { DomainError } from '../../errors.ts'
import type { Arrival } from './arrival.ts'

type CredentialsArrival = Pick<Arrival, 'request' | 'takesBasicAuth' | 'takesKeyInQuery'>

export interface Credentials {
  apiKey: string
  /** A bearer token that is not an API key: the end user's access token. */
  accessToken: string | undefined
}

/**
 * The header `apikey`, or the same key as a bearer token (Supabase clients send both), where `takesBasicAuth`
 * as the password of basic auth (all that Prometheus can send). Where `takesKeyInQuery` it is the parameter `apikey`
 * (all that a browser can send with a WebSocket). Two different keys are refused: which one was meant is anybody's
 * guess. Throws `invalid_api_key`.
 */
export function readCredentials({
  request,
  takesBasicAuth,
  takesKeyInQuery,
}: CredentialsArrival): Credentials {
  const { headers } = request
  const apiKeyHeader =
    headers.get('apikey') ?? (takesKeyInQuery ? new URL(request.url).searchParams.get('apikey') : null)
  const authorization = headers.get('authorization')
  const isBasic = takesBasicAuth && /^Basic( |$)/i.test(authorization ?? '')
  const bearer = isBasic ? readBasicPassword(authorization) : readBearer(authorization)
  const bearerIsKey = bearer?.startsWith('svc_') ?? false
  if (apiKeyHeader === null) {
    if (bearer !== undefined && bearerIsKey) return { apiKey: bearer, accessToken: undefined }
    throw invalidApiKey(bearer === undefined ? 'No API key was sent.' : NO_KEY_AS_BEARER)
  }
  if (bearerIsKey && bearer !== apiKeyHeader)
    throw invalidApiKey('The headers apikey and Authorization carry different API keys.')
  return { apiKey: apiKeyHeader, accessToken: bearerIsKey ? undefined : bearer }
}

/** An access token goes beside a key and not in its place. */
const NO_KEY_AS_BEARER = 'No API key was sent: what came as Authorization: Bearer is none.'

/** The password of basic auth. Throws for one that does not look like an API key. */
function readBasicPassword(header: string | null): string {
  const [, encoded = ''] = /^Basic +([\w+/]+=*) *$/i.exec(header ?? '') ?? []
  try {
    const [, password] = /^[^:]*:(svc_.*)$/s.exec(atob(encoded)) ?? []
    if (password !== undefined) return password
  } catch {
    // No base64: no key either.
  }
  throw new DomainError('invalid_api_key', 'The password of basic auth is not an API key.', {
    hint: 'Send any user name, and the key as the password. Keys begin with svc_pk_ (anon) or svc_sk_ (service_role).',
  })
}

/** Throws for a scheme we do not know: ignoring it would turn a signed-in user into an anonymous one. */
function readBearer(header: string | null): string | undefined {
  if (header === null) return undefined
  const match = /^Bearer +(\S+) *$/i.exec(header)
  if (match?.[1]) return match[1]
  throw new DomainError(
    'invalid_access_token',
    'The Authorization header is not of the form "Bearer <token>".',
    {
      hint: 'Send the access token as `Authorization: Bearer <token>`, or leave the header out.',
    },
  )
}

/** One answer for every bad key: which check failed would help only somebody who guesses. */
export function invalidApiKey(message = 'The API key is not valid.'): DomainError {
  return new DomainError('invalid_api_key', message, {
    hint:
      'Send a key in the header `apikey` (to open a WebSocket: as the parameter `apikey`). Keys begin with svc_pk_ ' +
      '(anon) or svc_sk_ (service_role).',
  })
}
