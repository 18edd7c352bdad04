// What the consent bridge hands to the OAuth2 server with each consent: the claims of both tokens. Pure, and the one
// place where they are put together, so that the preview shows exactly what is sent.

import type { Identity } from '../../../clients/identity.ts'
import type { ClaimsConfig, ClaimTemplates } from './schemas.ts'
import { standardClaims } from './standard-claims.ts'
import { parseTemplate, type Resolved, resolveTemplate, TemplateError } from './template.ts'

export interface SessionClaims {
  /** Top-level claims of the ID token, which userinfo shows too. */
  id_token: Record<string, unknown>
  /** `ext` of introspection and of JWT access tokens. */
  access_token: Record<string, unknown>
  /** Paths that led to nothing, each once; their claims are left out. */
  unresolved: string[]
  /** Claims that are left out because their token has no room for them. */
  too_large: string[]
}

/** Bytes of JSON that the claims of one token may have. They travel in the address of a redirect, encrypted. */
const TOKEN_CLAIMS_BYTES_MAX = 4_096

/**
 * The claims for an identity: the standard ones of the granted scopes in the ID token, and the configured ones whatever
 * the scope; where both name a claim, the configuration wins. What does not resolve or does not fit is left out.
 */
export function sessionClaims(
  config: ClaimsConfig,
  identity: Identity,
  grantedScopes: readonly string[],
): SessionClaims {
  const idToken = resolveAll(config.id_token_claims, identity)
  const accessToken = resolveAll(config.access_token_claims, identity)
  const standard = standardClaims(identity, grantedScopes)
  // The configuration wins also where it leaves a claim out for its size.
  for (const claim of idToken.tooLarge) delete standard[claim]
  const ofIdToken = fitting({ ...standard, ...idToken.claims })
  const ofAccessToken = fitting(accessToken.claims)
  return {
    id_token: ofIdToken.claims,
    access_token: ofAccessToken.claims,
    unresolved: [...new Set([...idToken.unresolved, ...accessToken.unresolved])],
    too_large: [
      ...new Set([
        ...idToken.tooLarge,
        ...ofIdToken.tooLarge,
        ...accessToken.tooLarge,
        ...ofAccessToken.tooLarge,
      ]),
    ],
  }
}

function resolveAll(templates: ClaimTemplates, identity: Identity) {
  const entries: [string, unknown][] = []
  const unresolved: string[] = []
  const tooLarge: string[] = []
  for (const [claim, text] of Object.entries(templates)) {
    const resolved = resolve(text, identity)
    if (resolved.outcome === 'value') entries.push([claim, resolved.value])
    else if (resolved.outcome === 'too_large') tooLarge.push(claim)
    else unresolved.push(...resolved.paths)
  }
  return { claims: Object.fromEntries(entries), unresolved, tooLarge }
}

/** A stored template that cannot be read (somebody changed the table by hand) must not keep people from signing in. */
function resolve(text: string, identity: Identity): Resolved {
  try {
    return resolveTemplate(parseTemplate(text), identity, TOKEN_CLAIMS_BYTES_MAX)
  } catch (err) {
    if (err instanceof TemplateError) return { outcome: 'unresolved', paths: [text] }
    throw err
  }
}

/** The claims in their order as long as they fit; one that is too large does not keep out those behind it. */
function fitting(claims: Record<string, unknown>) {
  const kept: [string, unknown][] = []
  const tooLarge: string[] = []
  let bytes = 0
  for (const [name, value] of Object.entries(claims)) {
    const size = new TextEncoder().encode(JSON.stringify({ [name]: value })).length
    if (bytes + size > TOKEN_CLAIMS_BYTES_MAX) {
      tooLarge.push(name)
      continue
    }
    bytes += size
    kept.push([name, value])
  }
  return { claims: Object.fromEntries(kept), tooLarge }
}
