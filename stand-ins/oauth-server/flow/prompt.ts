// The rules of `prompt`, `max_age` and `id_token_hint` (pure). OpenID Connect Core 1.0 §3.1.2.1.

import type { HydraError } from '../wire/hydra-error.ts'
import { consentRequired, invalidRequest, loginRequired } from './oauth-errors.ts'
import { isSecureRedirect } from './redirect-uri.ts'
import { words } from './scope-matching.ts'

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

/** `max_age` in seconds; undefined when it is absent, negative or no number. */
export function maxAgeSeconds(form: URLSearchParams): number | undefined {
  const text = form.get('max_age')
  return text && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}

function unfitPrompt(prompts: readonly string[], { isPublicClient, redirectUri }: PromptTerms) {
  const isSilent = prompts.includes('none')
  if (isPublicClient && isSilent && redirectUri !== undefined && !isSecureRedirect(redirectUri))
    return consentRequired("Prompt 'none' is not for public clients whose redirect URI is not https.")
  if (!prompts.every(prompt => KNOWN_PROMPTS.includes(prompt)))
    return invalidRequest(`Used unknown value '[${prompts.join(' ')}]' for prompt parameter`)
  if (isSilent && prompts.length > 1)
    return invalidRequest("Parameter 'prompt' was set to 'none', but contains other values as well.")
  return undefined
}

function maxAgeFault(form: URLSearchParams, login: LoginFacts) {
  const maxAge = maxAgeSeconds(form)
  if (!maxAge || login.authenticatedAt + maxAge >= login.requestedAt) return undefined
  return loginRequired()
}

function freshnessFault(prompts: readonly string[], login: LoginFacts) {
  if (prompts.includes('none') && login.authenticatedAt > login.requestedAt)
    return loginRequired("Prompt was set to 'none', but the login happened during this request.")
  if (prompts.includes('login') && login.authenticatedAt < login.requestedAt)
    return loginRequired("Prompt was set to 'login', but the login is older than the request.")
  return undefined
}

function hintFault(hintedSubject: string | null | undefined, login: LoginFacts) {
  if (hintedSubject === undefined || hintedSubject === login.clientSubject) return undefined
  if (hintedSubject === null) return invalidRequest('Decoding the id_token_hint failed.')
  return loginRequired('The subject of the id_token_hint is not the one who signed in.')
}
