// The keys of one set: the server's, with the dates that Quoin keeps.

import type { Upstream } from '../../../clients/http.ts'
import { listStoredKeys, type StoredKey } from '../../../clients/oauth-server/keys.ts'
import { DomainError } from '../../../errors.ts'
import { type KeyDatesDeps, readKeyDates } from './key-dates.ts'
import type { SigningKey } from './schemas.ts'

export interface ListSigningKeysDeps extends KeyDatesDeps {
  upstreams: { oauthAdmin: Upstream }
}

/** The keys of a set, the newest first. Throws `not_found` when there is no such set, and the `upstream_*` errors. */
export async function listSigningKeys(deps: ListSigningKeysDeps, setId: string): Promise<SigningKey[]> {
  const keys = await listStoredKeys(deps.upstreams.oauthAdmin, setId)
  if (keys === undefined) throw keySetNotFound(setId)
  const dates = await readKeyDates(deps, setId)
  return keys.map(key => toSigningKey(setId, key, dates.get(key.kid) ?? null))
}

/** A key as callers see it. */
export function toSigningKey(setId: string, key: StoredKey, createdAt: string | null): SigningKey {
  return {
    set_id: setId,
    kid: key.kid,
    algorithm: key.alg ?? null,
    key_type: key.kty,
    use: key.use ?? null,
    created_at: createdAt,
    public_jwk: key,
  }
}

function keySetNotFound(setId: string): DomainError {
  return new DomainError('not_found', `There is no key set "${setId.slice(0, 100)}".`, {
    hint: 'A set exists from its first key on: create one with POST /api/oauthsrv/keys.',
  })
}
