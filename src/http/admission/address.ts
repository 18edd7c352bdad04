// Counts a request against the allowance of its client address, for levels where no key says who calls.

import { DomainError } from '../../errors.ts'
import type { AddressAllowance, AddressGate } from '../../features/api-keys/limit/address-gate.ts'

/** Lets one request more of this address in, or throws `rate_limited` or `admission_unavailable`. */
export async function countAddress(
  addressGate: AddressGate,
  allowance: AddressAllowance,
  address: string | null,
): Promise<void> {
  const { limit, retryAfterSeconds } = await addressGate.admit(allowance, address)
  if (retryAfterSeconds === undefined) return
  throw new DomainError(
    'rate_limited',
    `This address has made ${limit} such requests within the last 60 seconds.`,
    {
      detail: `limit ${limit} per 60 s`,
      hint: `Wait ${retryAfterSeconds} s.`,
      retryAfterSeconds,
    },
  )
}
