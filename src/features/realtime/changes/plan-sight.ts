// What to ask of Postgres about a batch of the log: who may see which of its rows. Pure.

import { callerClaims } from '../../../db/caller-session.ts'
import type { ChunkEvent } from '../../row-changes/ingest/messages.ts'
import type { LoggedChange } from '../log/log-contract.ts'
import type { SightAnswer, SightAsked, SightQuestion } from '../sight/sight-contract.ts'
import { classKey } from './class-key.ts'
import type { Group, Subscription, SubscriptionFilter } from './subscription.ts'

/** What the renderer needs besides the answer. */
export interface SightPlan {
  readonly question: SightQuestion
  /** Of the tables that somebody follows, in the order of the log. */
  readonly changes: readonly PlannedChange[]
  /** The subscriptions of each group (by its key) that a change may concern. */
  readonly followed: ReadonlyMap<string, readonly PlannedSubscription[]>
  /** For each table of the question, the passing claims that its classes were made by. */
  readonly claimsRead: readonly (readonly string[])[]
}

/** Images are named by their index; null: none was recorded, or there can be none. */
export interface PlannedChange {
  readonly change: LoggedChange
  /** The table's index in the question. */
  readonly table: number
  readonly oldImage: number | null
  readonly newImage: number | null
}

/** Indexes in the question: of the table, and of what is asked for the subscription, without and with its filter. */
export interface PlannedSubscription {
  readonly subscription: Subscription
  readonly table: number
  readonly policy: number
  readonly filter: number | null
}

/** True when a change of the kind `event` can become what the subscription wants; an UPDATE may become any. */
export function concerns(event: ChunkEvent, wanted: Subscription['event']): boolean {
  if (wanted === '*' || event === 'UPDATE') return true
  return wanted === (event === 'TRUNCATE' ? 'DELETE' : event)
}

/** A table with what happened to it. */
interface PlannedTable {
  readonly index: number
  readonly tableId: number
  readonly images: string[]
  readonly events: Set<ChunkEvent>
}

/**
 * Asks for each row once, for each class of callers once, and for each filter once a class. `claimsReadByTable` is what
 * the last answers said of the tables; where it turns out to be less than now, `staleTables` says so.
 */
export function planSight(
  entries: readonly LoggedChange[],
  groups: readonly Group[],
  claimsReadByTable: ReadonlyMap<number, readonly string[]>,
): SightPlan {
  const { tables, changes } = planChanges(entries, groups)
  const { followed, asked } = planCallers(tables, groups, claimsReadByTable)
  const images = [...tables.values()].map(({ tableId, images }) => ({ tableId, images }))
  const claimsRead = images.map(({ tableId }) => claimsReadByTable.get(tableId) ?? [])
  return { question: { tables: images, asked }, changes, followed, claimsRead }
}

/** The changes that may become what some subscription wants, and their tables. */
function planChanges(entries: readonly LoggedChange[], groups: readonly Group[]) {
  const wanted = new Map<number, Set<Subscription['event']>>()
  for (const { tableId, event } of groups.flatMap(({ subscriptions }) => subscriptions))
    wanted.set(tableId, (wanted.get(tableId) ?? new Set()).add(event))
  const tables = new Map<number, PlannedTable>()
  const changes: PlannedChange[] = []
  for (const change of entries) {
    const { table_id: tableId, event } = change
    if (![...(wanted.get(tableId) ?? [])].some(one => concerns(event, one))) continue
    const table = tables.get(tableId) ?? { index: tables.size, tableId, images: [], events: new Set() }
    tables.set(tableId, table)
    table.events.add(event)
    const add = (image: string | null) => (image === null ? null : table.images.push(image) - 1)
    const [oldRow, newRow] = event === 'DELETE' ? [change.row, null] : [change.old_row, change.row]
    changes.push({ change, table: table.index, oldImage: add(oldRow), newImage: add(newRow) })
  }
  return { tables, changes }
}

/** The subscriptions that a change may concern, and what is asked for them, each once. */
function planCallers(
  tables: ReadonlyMap<number, PlannedTable>,
  groups: readonly Group[],
  claimsReadByTable: ReadonlyMap<number, readonly string[]>,
) {
  const followed = new Map<string, PlannedSubscription[]>()
  const asked: SightAsked[] = []
  const byName = new Map<string, number>()
  const indexOf = (name: string, one: SightAsked) => {
    const index = byName.get(name) ?? asked.push(one) - 1
    byName.set(name, index)
    return index
  }
  for (const { key, role, claims, subscriptions } of groups) {
    const planned: PlannedSubscription[] = []
    followed.set(key, planned)
    for (const subscription of subscriptions) {
      const { tableId, filter, event } = subscription
      const table = tables.get(tableId)
      if (table === undefined || ![...table.events].some(one => concerns(one, event))) continue
      const caller = { tableId, role, claims: callerClaims(role, claims) }
      const name = `${tableId} ${classKey(role, claims, claimsReadByTable.get(tableId) ?? [])}`
      planned.push({
        subscription,
        table: table.index,
        policy: indexOf(name, { ...caller, filter: null }),
        filter: filter && indexOf(`${name} ${filter.key}`, { ...caller, filter: filterOf(filter) }),
      })
    }
  }
  return { followed, asked }
}

const filterOf = ({ sql, params }: SubscriptionFilter) => ({ sql, params })

/**
 * Tables whose policies read passing claims that the plan's classes were not made by: with the answer's `claimsRead`
 * the caller makes its groups anew, plans, and asks again. Nothing may be rendered before.
 */
export function staleTables(plan: SightPlan, answer: SightAnswer): number[] {
  return plan.question.tables
    .filter((_, index) => {
      const known = plan.claimsRead[index] ?? []
      return answer.tables[index]?.claimsRead.some(claim => !known.includes(claim)) === true
    })
    .map(({ tableId }) => tableId)
}
