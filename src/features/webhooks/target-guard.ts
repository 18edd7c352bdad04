// Asks, before a connection, whether a webhook's target is public: its name is resolved by DNS over HTTPS, since a
// Worker has no resolver of its own. Remembers the outcome for a short time, because deliveries come by the hundred.
// Fails closed: of a name that was looked up by halves nobody knows where it leads.

import { BoundedMap } from '../../lib/bounded-map.ts'
import { readBoundedText } from '../../lib/bounded-text.ts'
import { isAddress, isPublicAddress } from '../../lib/public-address.ts'
import { hostOf, type TargetRules, targetProblem } from '../../lib/target-address.ts'

/** Why an attempt is not made. A resolver that gives no whole answer counts as a name that does not resolve. */
export const TARGET_REFUSALS = ['target_not_public', 'name_not_resolved'] as const
export type TargetRefusal = (typeof TARGET_REFUSALS)[number]

/** Says whether a connection to a URL may be opened now. */
export interface TargetGuard {
  /** Undefined: go ahead. Never throws. */
  check(url: string): Promise<TargetRefusal | undefined>
}

export interface TargetGuardDeps {
  rules: TargetRules
  fetch: typeof fetch
  nowMs: () => number
}

const RESOLVER = 'https://cloudflare-dns.com/dns-query'
const RESOLVE_TIMEOUT_MS = 3_000
const ANSWER_BYTES_MAX = 64 * 1024
const REMEMBERED_MS = 30_000
/** A resolver that failed is asked again soon, but not by each of the deliveries that wait. */
const FAILURE_REMEMBERED_MS = 2_000
const HOSTS_MAX = 1_000
/** Record types of RFC 1035 and RFC 3596. */
const ADDRESS_TYPES: readonly number[] = [1, 28]
/**
 * NOERROR and NXDOMAIN (RFC 1035 §4.1.1): the resolver knows. All else (SERVFAIL, REFUSED) says nothing about the
 * name.
 */
const KNOWING_STATUSES: readonly unknown[] = [0, 3]

interface Remembered {
  refusal: TargetRefusal | undefined
  untilMs: number
}

/** The guard of one isolate or object. */
export function makeTargetGuard({ rules, fetch, nowMs }: TargetGuardDeps): TargetGuard {
  const known = new BoundedMap<string, Remembered>(HOSTS_MAX)
  return {
    async check(text) {
      if (targetProblem(text, rules) !== undefined) return 'target_not_public'
      const host = hostOf(new URL(text))
      if (rules.allowPrivate || isAddress(host)) return undefined
      const remembered = known.get(host)
      if (remembered !== undefined && remembered.untilMs > nowMs()) return remembered.refusal
      const outcome = judge(await resolve(fetch, host))
      known.set(host, { refusal: outcome.refusal, untilMs: nowMs() + outcome.forMs })
      return outcome.refusal
    },
  }
}

/** Addresses of one family, none for a name without any; undefined: nobody knows. */
type Lookup = readonly string[] | undefined

/** One address that is not public refuses the name: which of them a connection takes is not ours to choose. */
function judge(lookups: readonly Lookup[]): { refusal: TargetRefusal | undefined; forMs: number } {
  const addresses = lookups.flatMap(lookup => lookup ?? [])
  if (!addresses.every(isPublicAddress)) return { refusal: 'target_not_public', forMs: REMEMBERED_MS }
  if (lookups.includes(undefined)) return { refusal: 'name_not_resolved', forMs: FAILURE_REMEMBERED_MS }
  return { refusal: addresses.length === 0 ? 'name_not_resolved' : undefined, forMs: REMEMBERED_MS }
}

function resolve(fetchFunction: typeof fetch, host: string): Promise<Lookup[]> {
  return Promise.all(['A', 'AAAA'].map(type => lookUp(fetchFunction, host, type)))
}

interface DnsAnswer {
  Status: number
  /** Left out where the name has no record of the type. */
  Answer?: { type: number; data: unknown }[]
}

async function lookUp(fetchFunction: typeof fetch, host: string, type: string): Promise<Lookup> {
  try {
    const response = await fetchFunction(`${RESOLVER}?name=${encodeURIComponent(host)}&type=${type}`, {
      headers: { accept: 'application/dns-json' },
      signal: AbortSignal.timeout(RESOLVE_TIMEOUT_MS),
    })
    const text = await readBoundedText(response.body, ANSWER_BYTES_MAX)
    if (!response.ok || text === undefined) return undefined
    const { Status, Answer = [] } = JSON.parse(text) as DnsAnswer
    if (!KNOWING_STATUSES.includes(Status)) return undefined
    const addresses = Answer.filter(record => ADDRESS_TYPES.includes(record.type)).map(({ data }) => data)
    return addresses.every(isText) ? addresses : undefined
  } catch {
    // No connection, no answer in time, or one that is no JSON: the attempt fails, and is made again.
    return undefined
  }
}

function isText(data: unknown): data is string {
  return typeof data === 'string'
}
