// API keys for tests, stored directly: no call through the API, so that nothing of the limiter has been used yet.

import { type NewApiKey, type StoredApiKey, storeApiKey } from '../../cli/support/api-key.ts'
import { connectOwner } from './postgres.ts'

/** A new key of this role in the default project, with no limit of its own unless the overrides say so. */
export async function makeKey(
  role: NewApiKey['role'],
  overrides: Partial<Omit<NewApiKey, 'role'>> = {},
): Promise<StoredApiKey> {
  await using owner = await connectOwner()
  return await storeApiKey(owner, { role, name: `test ${role}`, ...overrides })
}
