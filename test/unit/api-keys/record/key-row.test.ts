import { expect, it } from 'vitest'
import { type KeyRow, toApiKey } from '../../../../src/features/api-keys/record/key-row.ts'
import { ANY_KEY } from '../limit/window-oracle.ts'

// Such a row can only come from SQL of the owner's, but it must not make every list of keys fail.
it.each(['infinity', '10000-01-01T00:00:00+00:00'])(
  'shows an end that JavaScript cannot say: %s',
  expires_at => {
    const row: KeyRow = {
      ...ANY_KEY,
      expires_at,
      version: 1,
      key_hash: 'h',
      previous_key_hash: null,
      previous_expires_at: null,
      project_status: 'active',
    }
    expect(toApiKey(row).expires_at).toBe(expires_at)
  },
)
