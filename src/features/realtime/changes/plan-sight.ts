// What to ask of Postgres about a batch of the log: who may see which of its rows. Pure.

import { callerClaims } from '../../../db/caller-session.ts'
import type { LoggedChange } from '../log/log-contract.ts'
import type {
  SightAnswer,
  SightClass,
  SightFilter,
  SightQuestion,
  SightTableAsked,
} from '../sight/sight-contract.ts'
import { classKey } from './class-key.ts'
import type { Group, Subscription } from './subscription.ts'

/** What the renderer needs besides the answer. */
export interface SightPlan {
  readonly question: SightQuestion
  /** Of the tables that a group follows, in the order of the log. */
  readonly changes: readonly PlannedChange[]
  /** For each table of the question, the passing claims that its classes were made by. */
  readonly claimsRead: readonly (readonly string[])[]
  /** Indexes of the question's classes by `classAt`. */
  readonly classes: ReadonlyMap<string, number>
  /** Indexes of the question's filters by `filterAt`. */
  readonly filters: ReadonlyMap<string, number>
}

/** Images are named by their index; null: none was recorded, or there can be none. */
export interface PlannedChange {
  readonly change: LoggedChange
  /** The table's index in the question. */
  readonly table: number
  readonly oldImage: number | null
  readonly newImage: number | null
}

/** How a plan calls the class of a group at a table. */
export function classAt(tableId: number, group: Group): string {
  return `${tableId} ${group.key}`
}

/** How a plan calls a filter. */
export function filterAt(group: Group, tableId: number, key: string): string {
  return `${tableId} ${group.role} ${key}`
}

/** True when changes of this event can become what the subscription wants; an UPDATE may become any. */
export function concerns({ event }: LoggedChange, wanted: Subscription['event']): boolean {
  return wanted === '*' || event === 'UPDATE' || event === wanted
}

/**
 * Asks for each row once, for each class of callers once, and for each filter once a role. `claimsReadByTable` is what
 * the last answers said of the tables; where it turns out to be less than now, `staleTables` says so.
 */
export function planSight(
  entries: readonly LoggedChange[],
  groups: readonly Group[],
  claimsReadByTable: ReadonlyMap<number, readonly string[]>,
): SightPlan {
  const wanted = wantedEvents(groups)
  const tables = new Map<number, { index: number; images: string[]; events: LoggedChange[] }>()
  const changes: PlannedChange[] = []
  for (const change of entries) {
    const events = wanted.get(change.table_id)
    if (events === undefined || ![...events].some(event => concerns(change, event))) continue
    const table = tables.get(change.table_id) ?? { index: tables.size, images: [], events: [] }
    tables.set(change.table_id, table)
    table.events.push(change)
    const add = (image: string | null) => (image === null ? null : table.images.push(image) - 1)
    const isDelete = change.event === 'DELETE'
    changes.push({
      change,
      table: table.index,
      oldImage: add(isDelete ? change.row : change.old_row),
      newImage: add(isDelete ? null : change.row),
    })
  }
  const asked: SightTableAsked[] = [...tables].map(([tableId, { images }]) => ({ tableId, images }))
  const claimsRead = asked.map(({ tableId }) => claimsReadByTable.get(tableId) ?? [])
  const concerned = concernedOf(groups, tables)
  const { classes, classIndexes } = classesOf(concerned, claimsReadByTable)
  const { filters, filterIndexes } = filtersOf(concerned)
  return {
    question: { tables: asked, classes, filters },
    changes,
    claimsRead,
    classes: classIndexes,
    filters: filterIndexes,
  }
}

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

function wantedEvents(groups: readonly Group[]): Map<number, Set<Subscription['event']>> {
  const wanted = new Map<number, Set<Subscription['event']>>()
  for (const { subscriptions } of groups) {
    for (const { tableId, event } of subscriptions) {
      const events = wanted.get(tableId)
      if (events === undefined) wanted.set(tableId, new Set([event]))
      else events.add(event)
    }
  }
  return wanted
}

/** The subscriptions that a change of the batch may reach, where rows have to be judged for them. */
function concernedOf(
  groups: readonly Group[],
  tables: ReadonlyMap<number, { images: readonly string[]; events: readonly LoggedChange[] }>,
): { group: Group; subscription: Subscription }[] {
  const reaches = new Map<string, boolean>()
  const isReached = ({ tableId, event }: Subscription): boolean => {
    const key = `${tableId} ${event}`
    const known = reaches.get(key)
    if (known !== undefined) return known
    const table = tables.get(tableId)
    const isSo = table !== undefined && table.images.length > 0 && table.events.some(e => concerns(e, event))
    reaches.set(key, isSo)
    return isSo
  }
  return groups.flatMap(group =>
    group.subscriptions.filter(isReached).map(subscription => ({ group, subscription })),
  )
}

function classesOf(
  concerned: readonly { group: Group; subscription: Subscription }[],
  claimsReadByTable: ReadonlyMap<number, readonly string[]>,
) {
  const classes: SightClass[] = []
  const classIndexes = new Map<string, number>()
  const byClass = new Map<string, number>()
  for (const { group, subscription } of concerned) {
    const { tableId } = subscription
    const at = classAt(tableId, group)
    if (classIndexes.has(at)) continue
    const key = `${tableId} ${classKey(group.role, group.claims, claimsReadByTable.get(tableId) ?? [])}`
    let index = byClass.get(key)
    if (index === undefined) {
      index = classes.push({ tableId, role: group.role, claims: callerClaims(group.role, group.claims) }) - 1
      byClass.set(key, index)
    }
    classIndexes.set(at, index)
  }
  return { classes, classIndexes }
}

function filtersOf(concerned: readonly { group: Group; subscription: Subscription }[]) {
  const filters: SightFilter[] = []
  const filterIndexes = new Map<string, number>()
  for (const { group, subscription } of concerned) {
    const { tableId, filter } = subscription
    if (filter === null) continue
    const at = filterAt(group, tableId, filter.key)
    if (filterIndexes.has(at)) continue
    const { sql, params } = filter
    filterIndexes.set(at, filters.push({ tableId, role: group.role, sql, params }) - 1)
  }
  return { filters, filterIndexes }
}
