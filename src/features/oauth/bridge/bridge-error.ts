// Errors of the bridge, which know where their flow began, and what becomes of a challenge that is no good.

import type { ChallengeKind, Ended } from '../../../clients/oauth-server/challenge.ts'
import type { ConsentRequest } from '../../../clients/oauth-server/consent-requests.ts'
import { DomainError, type ErrorCode, type ErrorFacts } from '../../../errors.ts'
import { type BridgeAnswer, goTo } from './answers.ts'
import type { BridgeDeps } from './bridge-deps.ts'
import { restartUrl, webUrl } from './request-url.ts'

/** An error whose page can offer a way on. */
export class BridgeError extends DomainError {
  /** Where the flow can be started again. */
  readonly restartUrl: string | undefined

  constructor(code: ErrorCode, message: string, facts: ErrorFacts & { restartUrl?: string | undefined }) {
    super(code, message, facts)
    this.restartUrl = facts.restartUrl
  }
}

/** Why a challenge of this kind is no good, as an error with a stable code. */
export function challengeEnded(
  kind: ChallengeKind,
  ended: Ended,
  restartUrl: string | undefined,
): BridgeError {
  const hint = 'Start again from the application.'
  switch (ended.outcome) {
    case 'unknown':
      return new BridgeError('challenge_not_found', `There is no such ${kind} request.`, {
        detail: 'The address may have been cut short on its way.',
        hint,
        restartUrl,
      })
    case 'expired':
      return new BridgeError('challenge_expired', `The ${kind} request has expired.`, { hint, restartUrl })
    case 'used':
      return new BridgeError('challenge_used', `The ${kind} request was answered before.`, {
        hint,
        restartUrl,
      })
  }
}

/** The error for a consent request that was granted before, although the server would take another answer. */
export function consentGiven(request: Pick<ConsentRequest, 'request_url'>): BridgeError {
  return challengeEnded(
    'consent',
    { outcome: 'used', redirectTo: undefined },
    restartUrl(request.request_url),
  )
}

/** For a browser: on to where the server sends one that comes again, else throws what `challengeEnded` gives. */
export function afterEnd(
  { config }: Pick<BridgeDeps, 'config'>,
  kind: ChallengeKind,
  ended: Ended,
  restartUrl?: string | undefined,
): BridgeAnswer {
  const next = ended.outcome === 'used' ? onwardUrl(config.oauthPublicUrl, ended.redirectTo) : undefined
  if (next !== undefined) return goTo(next)
  throw challengeEnded(kind, ended, restartUrl)
}

/** A used logout request names its address relative to the server's public one. */
function onwardUrl(oauthPublicUrl: string | undefined, redirectTo: string | undefined): string | undefined {
  if (redirectTo?.startsWith('/') && !redirectTo.startsWith('//') && oauthPublicUrl !== undefined)
    return `${oauthPublicUrl}${redirectTo}`
  return webUrl(redirectTo)
}
