import { useQuery } from '@tanstack/react-query'
import { inWords } from '../../../parts/duration.ts'
import { clientsQuery } from '../../../parts/oauth/queries.ts'
import { State } from '../../../parts/state.tsx'
import { relativeTime } from '../../../parts/time.tsx'
import type { SigningKey } from './queries.ts'
import { type Lifetime, lastTokenEndsAt, longestLifetime, SERVER_DEFAULT_SECONDS } from './rotation.ts'

/** The longest lifetime of what the set signs; null as long as the clients are not known. */
export function useLifetime(set: string): Lifetime | null {
  const { data } = useQuery(clientsQuery)
  return data === undefined ? null : longestLifetime(data, set)
}

/** Whether tokens signed with this key may still be out, and until when. `isOld`: beside a newer one. */
export function TokenEnds({
  of: kid,
  among: keys,
  set,
  isOld = false,
}: {
  of: string
  among: readonly SigningKey[]
  set: string
  isOld?: boolean
}) {
  const lifetime = useLifetime(set)
  const now = new Date()
  const end = lastTokenEndsAt(keys, kid, lifetime, now)
  if (end === null)
    return <State tone="attention">{isOld ? 'Old' : 'Its'} tokens may be out, no date known</State>
  if (end <= now)
    return <State tone="good">{isOld ? 'All old tokens have ended' : 'All its tokens have ended'}</State>
  return (
    <State tone="attention">{`${isOld ? 'The last old' : 'Its last'} token ends ${relativeTime(end, now)}`}</State>
  )
}

/** Where that comes from. */
export function LifetimeNote({ set }: { set: string }) {
  const { data, failureReason } = useQuery(clientsQuery)
  if (data === undefined)
    return (
      failureReason && (
        <p className="text-sm">
          How long tokens live is not known, as the clients could not be read: {failureReason.message}
        </p>
      )
    )
  const { seconds, usesDefault } = longestLifetime(data, set)
  return (
    <p className="text-sm text-kumo-subtle">
      The longest lifetime of a client’s tokens is {inWords(seconds)}.
      {usesDefault &&
        ` Where a client leaves it to the server, ${inWords(SERVER_DEFAULT_SECONDS)} is assumed, as Hydra’s default.`}
    </p>
  )
}
