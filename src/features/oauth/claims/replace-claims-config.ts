// Changes which claims tokens carry, from the next consent on.

import { DomainError } from '../../../errors.ts'
import { audited } from '../../audit/audited.ts'
import type { Caller } from '../../audit/caller.ts'
import { checkClaims } from './check-claims.ts'
import { type ClaimsConfigDeps, readClaimsConfig, writeClaimsConfig } from './claims-store.ts'
import type { ClaimsConfig, ClaimsConfigPatch } from './schemas.ts'

/**
 * Stores the maps that are given and answers the whole configuration. Throws `validation_failed` without any map,
 * `reserved_claim` and `invalid_claim_template`.
 */
export async function replaceClaimsConfig(
  deps: ClaimsConfigDeps,
  patch: ClaimsConfigPatch,
  caller: Caller,
): Promise<ClaimsConfig> {
  if (Object.keys(patch).length === 0) {
    throw new DomainError('validation_failed', 'body: names no field to change.', {
      hint: 'Send id_token_claims, access_token_claims or both; {} as a map empties it.',
    })
  }
  checkClaims(patch)
  const before = await readClaimsConfig(deps)
  const change = { targetKind: 'claims_config', targetId: null, before }
  return audited(deps, caller, change, async () => {
    const result = await writeClaimsConfig(deps, patch)
    return { result, after: result }
  })
}
