// The rules of `prompt`, `max_age` and `id_token_hint` (pure). OpenID Connect Core 1.0 §3.1.2.1.

import type { HydraError } from '../wire/hydra-error.ts'
import { consentRequired, invalidRequest, loginRequired } from './oauth-errors.ts'
import { isSecureRedirect } from './redirect-uri.ts'
import { words } from './scope-matching.ts'

const INT64_MAX = 2 ** 63
const KNOWN_PROMPTS = ['login', 'none', 'consent', 'registration']

/** What a finished login says about itself; times in seconds since 1970. */
export interface LoginFacts {
  /** As the client sees the subject: pairwise where it asks for that. */
  readonly clientSubject: string
  readonly authenticatedAt: number
  readonly requestedAt: number
}

/** What a login is judged against. `redirectUri` is undefined in the device flow, which has none. */
export interface PromptTerms {
  readonly form: URLSearchParams
  readonly isPublicClient: boolean
  readonly redirectUri: string | undefined
  /** The subject of the `id_token_hint`; undefined without a hint, null when the hint is no ID token of ours. */
  readonly hintedSubject: string | null | undefined
}

/** The first rule that the login breaks, or undefined. `login_required` means that its session is not to be trusted. */
export function promptFault(terms: PromptTerms, login: LoginFacts): HydraError | undefined {
  const prompts = words(terms.form.get('prompt'))
  return (
    unfitPrompt(prompts, terms) ??
    maxAgeFault(terms.form, login) ??
    freshnessFault(prompts, login) ??
    hintFault(terms.hintedSubject, login)
  )
}

/** `max_age` in seconds; undefined when absent, NaN when it is no number of 64 bits. */
export function maxAgeSeconds(form: URLSearchParams): number | undefined {
  const text = form.get('max_age')
  if (!text) return undefined
  const seconds = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN
  return Math.abs(seconds) < INT64_MAX ? seconds : Number.NaN
}

function unfitPrompt(prompts: readonly string[], { isPublicClient, redirectUri }: PromptTerms) {
  const isSilent = prompts.includes('none')
  if (isPublicClient && isSilent && redirectUri !== undefined && !isSecureRedirect(redirectUri)) {
    return consentRequired(
      'OAuth 2.0 Client is marked public and redirect uri is not considered secure (https missing), ' +
        "but 'prompt=none' was requested.",
    )
  }
  if (!prompts.every(prompt => KNOWN_PROMPTS.includes(prompt))) {
    return invalidRequest(`Used unknown value '[${prompts.join(' ')}]' for prompt parameter`)
  }
  if (isSilent && prompts.length > 1) {
    return invalidRequest(
      "Parameter 'prompt' was set to 'none', but contains other values as well which is not allowed.",
    )
  }
  return undefined
}

function maxAgeFault(form: URLSearchParams, login: LoginFacts) {
  const maxAge = maxAgeSeconds(form)
  // What is no number counts as absent here: Hydra refuses it only where a remembered session is looked at.
  if (!maxAge || maxAge <= 0 || login.authenticatedAt + maxAge >= login.requestedAt) return undefined
  return loginRequired()
}

function freshnessFault(prompts: readonly string[], login: LoginFacts) {
  if (prompts.includes('none') && login.authenticatedAt > login.requestedAt) {
    return loginRequired(
      "Failed to validate OpenID Connect request because prompt was set to 'none' but auth_time happened " +
        'after the authorization request was registered, indicating that the user was logged in during this ' +
        'request which is not allowed.',
    )
  }
  if (prompts.includes('login') && login.authenticatedAt < login.requestedAt) {
    return loginRequired(
      "Failed to validate OpenID Connect request because prompt was set to 'login' but auth_time happened " +
        'before the authorization request was registered, indicating that the user was not re-authenticated ' +
        'which is forbidden.',
    )
  }
  return undefined
}

function hintFault(hintedSubject: string | null | undefined, login: LoginFacts) {
  if (hintedSubject === undefined || hintedSubject === login.clientSubject) return undefined
  if (hintedSubject === null) {
    return invalidRequest(
      'Failed to validate OpenID Connect request as decoding id token from id_token_hint parameter failed.',
    )
  }
  return loginRequired(
    'Failed to validate OpenID Connect request because the subject from provided id token from ' +
      "id_token_hint does not match the current session's subject.",
  )
}
