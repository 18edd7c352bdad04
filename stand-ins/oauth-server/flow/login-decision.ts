// Whether an authorization request may use the login session that the browser already has (pure).

import { type HydraError, unrecognizable } from '../wire/hydra-error.ts'
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
  // Hydra lets its own parser's error through, which has no OAuth code.
  if (Number.isNaN(maxAge)) return { outcome: 'refuse', error: unrecognizable() }
  if (maxAge !== undefined && maxAge >= 0 && session.authenticatedAt + maxAge < nowSeconds) {
    return prompts.includes('none')
      ? refuse("Request failed because prompt is set to 'none' and authentication time reached 'max_age'.")
      : ask
  }
  if (hintedSubject !== undefined && !subjectsOfSession.includes(hintedSubject)) {
    return refuse(
      'Request failed because subject claim from id_token_hint does not match subject from authentication session.',
    )
  }
  return { outcome: 'skip', session }
}

function refuse(hint: string): LoginDecision {
  return { outcome: 'refuse', error: loginRequired(hint) }
}
