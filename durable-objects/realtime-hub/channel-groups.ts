// Channels that are told the same: of callers with the same role and claims, with the same subscriptions. Made anew
// when somebody joins, leaves or renews a token, and kept until then.

import { networkOf } from '../../src/features/api-keys/limit/network.ts'
import type { CallerRoleConfig } from '../../src/features/callers/caller-role.ts'
import { classKey, groupKey } from '../../src/features/realtime/changes/class-key.ts'
import type { Group } from '../../src/features/realtime/changes/subscription.ts'
import { type Channel, type HubSocket, roleOf } from '../../src/features/realtime/hub/channel.ts'
import type { HubState } from '../../src/features/realtime/hub/hub-contract.ts'
import type { Members } from './members.ts'

export interface MemberGroup extends Group {
  readonly channels: Set<Channel>
}

export class ChannelGroups {
  readonly #members: Members
  readonly #config: CallerRoleConfig
  /** By table: of the claims that change with each token those that its policies read. Unknown: none, until said. */
  readonly claimsRead = new Map<number, readonly string[]>()
  #byTable: Map<number, Map<string, MemberGroup>> | undefined
  /** They stay while others join: made anew at each join, those of many classes cost a fifth of a storm of joins. */
  #identities = new WeakMap<Channel, Group>()
  #classKeys = new WeakMap<Group['claims'], Map<string, string>>()

  constructor(members: Members, config: CallerRoleConfig) {
    this.#members = members
    this.#config = config
  }

  /** Channels have changed, or what counts of their claims. */
  forget(): void {
    this.#byTable = undefined
  }

  learn(tableId: number, claims: readonly string[]): void {
    this.claimsRead.set(tableId, claims)
    this.#identities = new WeakMap()
    this.#classKeys = new WeakMap()
    this.forget()
  }

  /** The groups of live channels that follow the table of any of the changes. */
  following(changes: readonly { readonly table_id: number }[]): MemberGroup[] {
    const byTable = this.#made()
    const found = new Set<MemberGroup>()
    for (const tableId of new Set(changes.map(({ table_id }) => table_id)))
      for (const group of byTable.get(tableId)?.values() ?? []) found.add(group)
    return [...found]
  }

  /** The channel by itself. */
  groupOf(channel: Channel): MemberGroup {
    return { ...this.#identify(channel), channels: new Set([channel]) }
  }

  /** Whether the channel is one of these still. */
  isStill(channel: Channel, { key }: MemberGroup): boolean {
    return this.#identify(channel).key === key
  }

  /** The classes of callers that follow the table, by their keys; of all channels but `former`. */
  classesOf(tableId: number, former?: Channel): Set<string> {
    const classes = new Set<string>()
    // Those too that are not live yet.
    for (const channel of this.#members.channels()) {
      const { socket, record } = channel
      if (channel !== former && record.subscriptions.some(one => one.tableId === tableId))
        classes.add(this.classKey(tableId, socket.pass, record.claims))
    }
    return classes
  }

  /** Filters on the table, each once a class: all of them, and those from the client address. The same. */
  filtersOf(
    tableId: number,
    address: string,
    former?: Channel,
  ): { all: Set<string>; ofAddress: Set<string> } {
    const [all, ofAddress] = [new Set<string>(), new Set<string>()]
    for (const channel of this.#members.channels()) {
      if (channel === former) continue
      const { socket, record } = channel
      const isNear = networkOf(socket.pass.address) === networkOf(address)
      for (const { tableId: followed, filter } of record.subscriptions) {
        if (followed !== tableId || filter === null) continue
        const key = `${this.classKey(tableId, socket.pass, record.claims)} ${filter.key}`
        all.add(key)
        if (isNear) ofAddress.add(key)
      }
    }
    return { all, ofAddress }
  }

  /** The tables that live channels follow. */
  byTable(): HubState['subscriptions'] {
    return [...this.#made()].map(([tableId, groups]) => ({
      tableId,
      subscribers: [...groups.values()].reduce((sum, { channels }) => sum + channels.size, 0),
      classes: this.classesOf(tableId).size,
    }))
  }

  /** What the class of such a caller is called at the table. */
  classKey(tableId: number, pass: HubSocket['pass'], claims: Group['claims']): string {
    const role = roleOf(this.#config, pass, claims)
    const known = this.#classKeys.get(claims) ?? new Map<string, string>()
    this.#classKeys.set(claims, known)
    const place = `${tableId} ${role}`
    const key = known.get(place) ?? classKey(role, claims, this.claimsRead.get(tableId) ?? [])
    known.set(place, key)
    return key
  }

  #made(): Map<number, Map<string, MemberGroup>> {
    if (this.#byTable) return this.#byTable
    const byTable = new Map<number, Map<string, MemberGroup>>()
    const groups = new Map<string, MemberGroup>()
    for (const channel of this.#members.channels()) {
      if (!channel.record.isLive || channel.record.subscriptions.length === 0) continue
      const identified = this.#identify(channel)
      const group = groups.get(identified.key) ?? { ...identified, channels: new Set<Channel>() }
      group.channels.add(channel)
      groups.set(group.key, group)
    }
    for (const group of groups.values()) {
      for (const { tableId } of group.subscriptions) {
        const ofTable = byTable.get(tableId) ?? new Map<string, MemberGroup>()
        byTable.set(tableId, ofTable.set(group.key, group))
      }
    }
    this.#byTable = byTable
    return byTable
  }

  #identify(channel: Channel): Group {
    const { subscriptions, claims } = channel.record
    const known = this.#identities.get(channel)
    if (known?.claims === claims && known.subscriptions === subscriptions) return known
    const role = roleOf(this.#config, channel.socket.pass, claims)
    const read = subscriptions.flatMap(({ tableId }) => this.claimsRead.get(tableId) ?? [])
    const identified = { key: groupKey(role, claims, read, subscriptions), role, claims, subscriptions }
    this.#identities.set(channel, identified)
    return identified
  }
}
