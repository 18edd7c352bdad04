// When a key stops working, as callers may set it.

import { DomainError } from '../../../errors.ts'

/** Refuses an end that is over already. Throws `validation_failed`. */
export function refusePastExpiry(expiresAt: string | null | undefined, now: Date): void {
  if (expiresAt == null || Date.parse(expiresAt) > now.getTime()) return
  throw new DomainError('validation_failed', 'body.expires_at: must be in the future.', {
    detail: `It is ${now.toISOString()} now.`,
    hint: 'For a key that does not expire, send null or leave expires_at out. To end a key now, revoke it.',
  })
}
