// The check of sockets: an API key, or a ticket that the dashboard was given. Whose ticket it is, the hub says that the
// route asks. Cookies count for nothing here, so pages of any origin may come.

import type { AddressGate } from '../../features/api-keys/limit/address-gate.ts'
import { admitKey, type KeyDeps } from './api-key.ts'
import type { Arrival } from './arrival.ts'
import type { ApiKeyPrincipal } from './principal.ts'

/**
 * Admits a request with any API key, or null: it names a ticket, and its address is counted as under /api. Throws what
 * `admitKey` does.
 */
export async function admitSocket(
  deps: KeyDeps & { addressGate: AddressGate },
  arrival: Arrival,
): Promise<ApiKeyPrincipal | null> {
  if (!new URL(arrival.request.url).searchParams.has('ticket')) return await admitKey(deps, arrival)
  await deps.addressGate.count('api', arrival.address)
  return null
}
