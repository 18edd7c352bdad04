// The credential check of the Client API: one Durable Object call says who the key is and whether it may call now.

import { DomainError, projectPaused } from '../../errors.ts'
import type { Admission, RateLimitState } from '../../features/api-keys/limit/admission.ts'
import type { KeyGate, Knock } from '../../features/api-keys/limit/key-gate.ts'
import type { UnknownKeyGuard } from '../../features/api-keys/limit/unknown-keys.ts'
import type { EndUser } from '../../features/oauth/end-user/access-token.ts'
import type { Arrival } from './arrival.ts'
import { invalidApiKey, readCredentials } from './credentials.ts'
import type { ApiKeyPrincipal } from './principal.ts'

export interface KeyDeps {
  /** The SHA-256 of a text that has a key's form and checksum; null for any other text, at no cost. */
  identifyKey: (text: string) => Promise<string | null>
  keyGate: KeyGate
  unknownKeyGuard: UnknownKeyGuard
  verifyAccessToken: (token: string) => Promise<EndUser>
  now: () => Date
}

/**
 * Admits a request with any API key. Throws `invalid_api_key`, `rate_limited`, `project_paused` or
 * `invalid_access_token`.
 */
export async function admitKey(deps: KeyDeps, arrival: Arrival): Promise<ApiKeyPrincipal> {
  const { apiKey, accessToken } = readCredentials(arrival)
  const keyHash = await deps.identifyKey(apiKey)
  if (keyHash === null) throw invalidApiKey()
  const address = arrival.address ?? 'unknown'
  const nowMs = deps.now().getTime()
  // A known key is never blocked for what its neighbours send.
  if (!deps.keyGate.isKnown(keyHash) && deps.unknownKeyGuard.isBlocked(keyHash, address, nowMs))
    throw tooManyRefusals()

  const admission = await askGate(deps, { keyHash, address, nowMs, waitUntil: arrival.waitUntil })
  if ('rateLimit' in admission) arrival.rateLimit = admission.rateLimit
  switch (admission.outcome) {
    case 'admitted': {
      const endUser = accessToken === undefined ? null : await deps.verifyAccessToken(accessToken)
      return { kind: 'api_key', key: admission.key, keyHash, endUser }
    }
    case 'rate_limited':
      throw rateLimited(admission)
    case 'project_paused':
      throw projectPaused()
    case 'unavailable':
      throw admissionUnavailable()
    case 'unknown':
    case 'refused':
      deps.unknownKeyGuard.record(admission.outcome, keyHash, address, nowMs)
      throw invalidApiKey()
  }
}

/** Admits a request with a service_role key. Throws what `admitKey` does, and `insufficient_role`. */
export async function admitServiceRole(deps: KeyDeps, arrival: Arrival): Promise<ApiKeyPrincipal> {
  const principal = await admitKey(deps, arrival)
  if (principal.key.role === 'service_role') return principal
  throw new DomainError(
    'insufficient_role',
    'This endpoint needs a service_role key; the key sent is an anon key.',
    { hint: 'Call it from a server with a key that begins with svc_sk_.' },
  )
}

/**
 * Throws where a key that was let in would not be let in any more: while its body came it was revoked, replaced or its
 * project paused. Counts nothing.
 */
export async function confirmKey(deps: KeyDeps, arrival: Arrival): Promise<void> {
  const { apiKey, accessToken } = readCredentials(arrival)
  const keyHash = await deps.identifyKey(apiKey)
  if (keyHash === null) throw invalidApiKey()
  const confirmation = await deps.keyGate.confirm(keyHash).catch(cause => {
    throw admissionUnavailable(cause)
  })
  if (confirmation === 'project_paused') throw projectPaused()
  if (confirmation === 'unavailable') throw admissionUnavailable()
  if (confirmation === 'refused') throw invalidApiKey()
  if (accessToken !== undefined) await deps.verifyAccessToken(accessToken)
}

async function askGate({ keyGate }: KeyDeps, knock: Knock): Promise<Admission> {
  try {
    return await keyGate.admit(knock)
  } catch (cause) {
    throw admissionUnavailable(cause)
  }
}

function admissionUnavailable(cause?: unknown): DomainError {
  return new DomainError(
    'admission_unavailable',
    'The API key could not be checked just now; nothing was done.',
    {
      hint: 'Try again in a moment.',
      cause,
      retryAfterSeconds: 1,
    },
  )
}

const LIMITED = {
  key: { who: 'The key has', field: 'rate_limit_per_minute' },
  address: { who: 'With this key, the client address has', field: 'rate_limit_per_address' },
}

function rateLimited(refusal: Extract<Admission, { outcome: 'rate_limited' }>): DomainError {
  const { rateLimit, retryAfterSeconds, limited } = refusal
  const { who, field } = LIMITED[limited]
  const { limit } = rateLimit
  return new DomainError('rate_limited', `${who} made ${limit} requests within the last 60 seconds.`, {
    detail: `limit ${limit} per 60 s`,
    hint: `Wait ${retryAfterSeconds} s, or raise ${field} of the key: PATCH /v1/keys/:id.`,
    retryAfterSeconds,
  })
}

function tooManyRefusals(): DomainError {
  return new DomainError('rate_limited', 'Too many calls came with API keys that are not valid.', {
    hint: 'Wait a minute and check the key.',
    retryAfterSeconds: 60,
  })
}

/** `X-RateLimit-*`, and the IETF draft's two fields, on every answer to a known key. */
export function rateLimitHeaders({ limit, remaining, resetSeconds }: RateLimitState): Record<string, string> {
  return {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(resetSeconds),
    'ratelimit-policy': `"default";q=${limit};w=60`,
    ratelimit: `"default";r=${remaining};t=${resetSeconds}`,
  }
}
