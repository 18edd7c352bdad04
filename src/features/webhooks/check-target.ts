// Whether a webhook may be saved with a URL. A name that does not resolve may: its receiver is perhaps set up later,
// and each attempt until then fails with `name_not_resolved`.

import { DomainError } from '../../errors.ts'
import { type TargetRules, targetProblem } from '../../lib/target-address.ts'
import type { TargetGuard } from './target-guard.ts'

export interface TargetDeps {
  targetRules: TargetRules
  targetGuard: TargetGuard
}

/**
 * The URL as it is saved and shown: as `fetch` reads it (WHATWG URL), without the line breaks, outer blanks and empty
 * user names that callers may have sent. Throws `validation_failed` for one that webhooks must not send to.
 */
export async function usableTarget(deps: TargetDeps, text: string): Promise<string> {
  const url = URL.canParse(text) ? new URL(text).href : text
  const problem = targetProblem(url, deps.targetRules)
  if (problem !== undefined) throw badUrl(problem)
  if ((await deps.targetGuard.check(url)) === 'target_not_public') {
    throw badUrl('must not resolve to an address that is not public')
  }
  return url
}

function badUrl(problem: string): DomainError {
  return new DomainError('validation_failed', `body.url: ${problem}`, {
    hint:
      'A webhook sends to an http or https URL without a user name or password, on a public ' +
      'address. See docs/webhooks.md, Limits.',
  })
}
