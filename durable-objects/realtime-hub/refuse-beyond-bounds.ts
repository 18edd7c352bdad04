// How many classes of callers and how many filters a table may have: each costs a question a change.

import { DomainError } from '../../src/errors.ts'
import type { Channel, ChannelRecord, HubSocket } from '../../src/features/realtime/hub/channel.ts'
import type { HubParts } from './hub-parts.ts'

const CLASSES_MAX = 500
/** Filters cost what classes cost, and anybody makes them: one client address has a part of them. */
const FILTERS_MAX = 500
const FILTERS_PER_ADDRESS_MAX = 100
/** In characters. */
const SIZE_OF_ADDRESS_MAX = 4_000_000
const SIZE_MAX = 24_000_000

/**
 * Throws `too_many_subscriptions` where a table would have more classes or filters than may be, with this channel; in
 * place of `former`, if it is one already.
 */
export function refuseBeyondBounds(
  { groups, members }: Pick<HubParts, 'groups' | 'members'>,
  { pass }: HubSocket,
  { claims, subscriptions }: Pick<ChannelRecord, 'claims' | 'subscriptions'>,
  former?: Channel,
): void {
  if (former === undefined) refuseSize(members, pass.address, JSON.stringify(subscriptions).length)
  for (const [tableId, ofTable] of Map.groupBy(subscriptions, one => one.tableId)) {
    const own = groups.classKey(tableId, pass, claims)
    const classes = groups.classesOf(tableId, former).add(own)
    if (classes.size > CLASSES_MAX) {
      const hint =
        'Send to a private channel instead (realtime.broadcast_changes): it is checked once, at the join.'
      throw tooMany(`${CLASSES_MAX} persons follow this table already, each by own policies.`, hint)
    }
    const keys = ofTable.flatMap(({ filter }) => (filter === null ? [] : [`${own} ${filter.key}`]))
    if (keys.length === 0) continue
    const { all, ofAddress } = groups.filtersOf(tableId, pass.address, former)
    const hint =
      'Follow the table without a filter, or send to a channel for each value (realtime.broadcast_changes).'
    if (new Set([...all, ...keys]).size > FILTERS_MAX)
      throw tooMany(`${FILTERS_MAX} filters are in use on this table already.`, hint)
    if (new Set([...ofAddress, ...keys]).size > FILTERS_PER_ADDRESS_MAX) {
      const message = `${FILTERS_PER_ADDRESS_MAX} filters on this table are in use from the client address already.`
      throw tooMany(message, hint)
    }
  }
}

const tooMany = (message: string, hint: string) =>
  new DomainError('too_many_subscriptions', message, { hint })

/** What channels follow is held for as long as they are there, in an object of 128 MB. */
function refuseSize(members: HubParts['members'], address: string, size: number): void {
  const { ofAddress, all } = members.sizeOf(address)
  if (ofAddress + size <= SIZE_OF_ADDRESS_MAX && all + size <= SIZE_MAX) return
  const whose = ofAddress + size > SIZE_OF_ADDRESS_MAX ? 'the client address' : 'the project'
  throw tooMany(
    `The channels of ${whose} have as many filters and claims as may be.`,
    'Use fewer, or shorter filters.',
  )
}
