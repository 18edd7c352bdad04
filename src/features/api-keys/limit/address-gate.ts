// The allowance of a client address where no key says who calls: on the dashboard layer, and for public files. Types
// and the door of one isolate; `durable-objects/address-limiter.ts` counts.

import { DomainError } from '../../../errors.ts'
import { networkOf } from './network.ts'

/**
 * What is counted apart: calls to /api, decisions on consent, requests for public and signed files, and images in sizes
 * not made before.
 */
export type AddressAllowance = 'api' | 'consent' | 'storage' | 'render'

export interface AddressAdmission {
  /** Requests in any 60 seconds. */
  limit: number
  /** Seconds until one more is let in; undefined when this one was. */
  retryAfterSeconds: number | undefined
}

/** One address' limiter for one allowance. */
export interface AddressLimiter {
  /** Counts the request unless `limit` are counted already. */
  admit(limit: number): Promise<AddressAdmission>
}

export interface AddressLimiters {
  byName(name: string): AddressLimiter
}

/** Lets requests of an address in, as many a minute as its allowance says. */
export class AddressGate {
  readonly #limiters: AddressLimiters
  readonly #limits: Readonly<Record<AddressAllowance, number>>

  constructor(limiters: AddressLimiters, limits: Readonly<Record<AddressAllowance, number>>) {
    this.#limiters = limiters
    this.#limits = limits
  }

  /** Counts one request; a null address (none known) shares one allowance. Throws `admission_unavailable`. */
  async admit(allowance: AddressAllowance, address: string | null): Promise<AddressAdmission> {
    const name = `${allowance}:${address === null ? 'unknown' : networkOf(address)}`
    try {
      return await this.#limiters.byName(name).admit(this.#limits[allowance])
    } catch (cause) {
      throw new DomainError(
        'admission_unavailable',
        'The request could not be counted just now; nothing was done.',
        {
          hint: 'Try again in a moment.',
          cause,
          retryAfterSeconds: 1,
        },
      )
    }
  }

  /** Lets one request more of this address in, or throws `rate_limited` or `admission_unavailable`. */
  async count(allowance: AddressAllowance, address: string | null): Promise<void> {
    const { limit, retryAfterSeconds } = await this.admit(allowance, address)
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
}
