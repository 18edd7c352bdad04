// Whether a remembered consent answers a request, so that the consent page may skip asking (pure).

import type { HydraError } from '../wire/hydra-error.ts'
import { consentRequired } from './oauth-errors.ts'
import { isClaimedRedirect } from './redirect-uri.ts'
import { coversScope, words } from './scope-matching.ts'

export interface ConsentQuestion {
  readonly prompt: string | null
  readonly requestedScope: readonly string[]
  readonly isPublicClient: boolean
  /** Undefined in the device flow. */
  readonly redirectUri: string | undefined
  /** The scopes of the newest remembered consent of this subject to this client; undefined for none. */
  readonly rememberedScope: readonly string[] | undefined
}

export type ConsentDecision =
  | { readonly outcome: 'ask' | 'skip' }
  | { readonly outcome: 'refuse'; readonly error: HydraError }

/** Public clients are skipped only when no other app can claim their redirect URI; devices of theirs never are. */
export function decideConsent(question: ConsentQuestion): ConsentDecision {
  const prompts = words(question.prompt)
  const isSkip = !prompts.includes('consent') && mayBeRemembered(question) && isCovered(question)
  if (isSkip) return { outcome: 'skip' }
  if (!prompts.includes('none')) return { outcome: 'ask' }
  return {
    outcome: 'refuse',
    error: consentRequired("Prompt 'none' was requested, but no previous consent was found."),
  }
}

function mayBeRemembered({ isPublicClient, redirectUri }: ConsentQuestion): boolean {
  return !isPublicClient || (redirectUri !== undefined && isClaimedRedirect(redirectUri))
}

function isCovered({ requestedScope, rememberedScope }: ConsentQuestion): boolean {
  return rememberedScope !== undefined && requestedScope.every(scope => coversScope(rememberedScope, scope))
}
