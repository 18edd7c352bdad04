// The check of public and signed files: no key is asked for, so the client's address is counted. What the address of a
// file allows, its bucket or its signature says.

import type { AddressGate } from '../../features/api-keys/limit/address-gate.ts'
import type { Arrival } from './arrival.ts'

/** Admits anybody, pages of any origin too: nothing here goes by cookies. Throws `rate_limited`. */
export async function admitPublic(
  { addressGate }: { addressGate: AddressGate },
  { address }: Arrival,
): Promise<null> {
  await addressGate.count('storage', address)
  return null
}
