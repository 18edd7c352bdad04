// Asks, before a connection, whether a webhook's target is public: its name is resolved by DNS over HTTPS, since a Worker
// has no resolver of its own. Remembers good and bad answers for a short time, because deliveries come by the hundred.

import { BoundedMap } from '../../lib/bounded-map.ts'
import { isAddress, isPublicAddress } from './public-address.ts'
import { hostOf, type TargetRules, targetProblem } from './target-address.ts'

/** Why an attempt is not made. */
export type TargetRefusal = 'target_not_public' | 'name_not_resolved'

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
const HOSTS_MAX = 1_000
/** Record types of RFC 1035 and RFC 3596. */
const ADDRESS_TYPES: readonly number[] = [1, 28]

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
      const refusal = judge(await resolve(fetch, host))
      known.set(host, { refusal, untilMs: nowMs() + REMEMBERED_MS })
      return refusal
    },
  }
}

/** One address that is not public refuses the name: which of them a connection takes is not ours to choose. */
function judge(addresses: readonly string[]): TargetRefusal | undefined {
  if (addresses.length === 0) return 'name_not_resolved'
  return addresses.every(isPublicAddress) ? undefined : 'target_not_public'
}

/** A and AAAA; none when the name or the resolver does not answer. */
async function resolve(fetchFunction: typeof fetch, host: string): Promise<string[]> {
  const lists = await Promise.all(['A', 'AAAA'].map(type => query(fetchFunction, host, type)))
  return lists.flat()
}

async function query(fetchFunction: typeof fetch, host: string, type: string): Promise<string[]> {
  try {
    const response = await fetchFunction(`${RESOLVER}?name=${encodeURIComponent(host)}&type=${type}`, {
      headers: { accept: 'application/dns-json' },
      signal: AbortSignal.timeout(RESOLVE_TIMEOUT_MS),
    })
    const text = await response.text()
    if (!response.ok || text.length > ANSWER_BYTES_MAX) return []
    const { Answer = [] } = JSON.parse(text) as { Answer?: { type: number; data: string }[] }
    return Answer.filter(record => ADDRESS_TYPES.includes(record.type)).map(record => record.data)
  } catch {
    // A resolver that does not answer is a name that does not resolve: the attempt fails and is made again.
    return []
  }
}
