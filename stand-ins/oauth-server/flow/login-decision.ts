// Whether an authorization request may use the login session that the browser already has (pure).

import type { HydraError } from '../wire/hydra-error.ts'
import { loginRequired } from './oauth-errors.ts'
import { maxAgeSeconds } from './prompt.ts'
import { words } from './scope-matching.ts'

interface KnownSession {
  readonly id: string
  readonly subject: string
  /** Seconds since 1970. */
  readonly authenticatedAt: number
}

export type LoginDecision =
  | { readonly outcome: 'skip'; readonly session: KnownSession }
  | { readonly outcome: 'ask' }
  | { readonly outcome: 'refuse'; readonly error: HydraError }

/**
 * Decides on `session`, the remembered one of the browser. `hintedSubject` is the subject of a valid `id_token_hint`;
 * `subjectsOfSession` are the names under which the client may know the session's subject.
 */
export function decideLogin(
  form: URLSearchParams,
  session: KnownSession | undefined,
  hintedSubject: string | undefined,
  subjectsOfSession: readonly string[],
  nowSeconds: number,
): LoginDecision {
  const prompts = words(form.get('prompt'))
  const ask: LoginDecision = prompts.includes('none')
    ? refuse("Prompt 'none' was requested, but no existing login session was found.")
    : { outcome: 'ask' }
  if (!session || prompts.includes('login')) return ask

  const maxAge = maxAgeSeconds(form)
  if (maxAge !== undefined && session.authenticatedAt + maxAge < nowSeconds) return ask
  if (hintedSubject !== undefined && !subjectsOfSession.includes(hintedSubject))
    return refuse('The id_token_hint is of somebody else.')
  return { outcome: 'skip', session }
}

function refuse(hint: string): LoginDecision {
  return { outcome: 'refuse', error: loginRequired(hint) }
}
