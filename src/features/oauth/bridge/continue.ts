// The page after a form: goes on by itself, and by a link where that is switched off.

import { DomainError } from '../../../errors.ts'
import { type BridgeAnswer, pageAnswer } from './answers.ts'
import type { BridgeDeps } from './bridge-deps.ts'
import { webUrl } from './request-url.ts'

/** A 200 page that goes on to `url`, which comes from the OAuth2 server. */
export async function continueAt(
  { config }: Pick<BridgeDeps, 'config'>,
  url: string,
  cookies: readonly string[] = [],
): Promise<BridgeAnswer> {
  const target = webUrl(url)
  if (target === undefined) {
    throw new DomainError(
      'upstream_invalid_answer',
      'The OAuth2 server named no web address to continue at.',
      {
        detail: 'oauth_server',
      },
    )
  }
  const { renderContinuePage } = await import('./pages/continue-page.tsx')
  return pageAnswer(config, frame => renderContinuePage(target, frame), { cookies })
}
