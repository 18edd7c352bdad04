// What to ask of Postgres about a batch of the log: who may see which of its rows. Pure.

import { callerClaims } from '../../../db/caller-session.ts'
import type { ChunkEvent } from '../../row-changes/ingest/messages.ts'
import type { LoggedChange } from '../log/log-contract.ts'
import type { SightAnswer, SightClass, SightFilter, SightQuestion } from '../sight/sight-contract.ts'
import { classKey } from './class-key.ts'
import type { Group, Subscription } from './subscription.ts'

/** What the renderer needs besides the answer. */
export interface SightPlan {
  readonly question: SightQuestion
  /** Of the tables that a group follows, in the order of the log. */
  readonly changes: readonly PlannedChange[]
  /** The first change that may become an event of a subscription, by `followKey`. */
  readonly firsts: ReadonlyMap<string, PlannedChange>
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

/** Equal for subscriptions that a change may concern or not alike. */
export function followKey({ tableId, event }: Pick<Subscription, 'tableId' | 'event'>): string {
  return `${tableId} ${event}`
}

/** How a plan calls the class of a group at a table. */
export function classAt(tableId: number, group: Group): string {
  return `${tableId} ${group.key}`
}

/** How a plan calls a filter of a group at a table. */
export function filterAt(group: Group, tableId: number, key: string): string {
  return `${tableId} ${group.key} ${key}`
}

const ALL_EVENTS = ['*', 'INSERT', 'UPDATE', 'DELETE'] as const

/** True when a change of the kind `event` can become what the subscription wants; an UPDATE may become any. */
export function concerns(event: ChunkEvent, wanted: Subscription['event']): boolean {
  if (wanted === '*' || event === 'UPDATE') return true
  return wanted === (event === 'TRUNCATE' ? 'DELETE' : event)
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
  const followed = new Set(groups.flatMap(({ subscriptions }) => subscriptions.map(followKey)))
  const tables = new Map<number, { index: number; tableId: number; images: string[] }>()
  const changes: PlannedChange[] = []
  const firsts = new Map<string, PlannedChange>()
  for (const change of entries) {
    const tableId = change.table_id
    const keys = ALL_EVENTS.filter(event => concerns(change.event, event))
      .map(event => followKey({ tableId, event }))
      .filter(key => followed.has(key))
    if (keys.length === 0) continue
    const table = tables.get(tableId) ?? { index: tables.size, tableId, images: [] }
    tables.set(tableId, table)
    const add = (image: string | null) => (image === null ? null : table.images.push(image) - 1)
    const isDelete = change.event === 'DELETE'
    const oldImage = add(isDelete ? change.row : change.old_row)
    const planned = { change, table: table.index, oldImage, newImage: add(isDelete ? null : change.row) }
    changes.push(planned)
    for (const key of keys) if (!firsts.has(key)) firsts.set(key, planned)
  }
  const asked = [...tables.values()].map(({ tableId, images }) => ({ tableId, images }))
  const claimsRead = asked.map(({ tableId }) => claimsReadByTable.get(tableId) ?? [])
  const callers = callersOf(groups, firsts, claimsReadByTable)
  return { ...callers, question: { tables: asked, ...callers.question }, changes, firsts, claimsRead }
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

/** The classes and filters of subscriptions that a change may concern. */
function callersOf(
  groups: readonly Group[],
  firsts: ReadonlyMap<string, PlannedChange>,
  claimsReadByTable: ReadonlyMap<number, readonly string[]>,
) {
  const question: { classes: SightClass[]; filters: SightFilter[] } = { classes: [], filters: [] }
  const classes = new Map<string, number>()
  const filters = new Map<string, number>()
  const byClass = new Map<string, number>()
  const byFilter = new Map<string, number>()
  for (const group of groups) {
    const { role, claims } = group
    for (const subscription of group.subscriptions) {
      if (!firsts.has(followKey(subscription))) continue
      const { tableId, filter } = subscription
      const asked = { tableId, role, claims: callerClaims(role, claims) }
      const classOfTable = `${tableId} ${classKey(role, claims, claimsReadByTable.get(tableId) ?? [])}`
      if (!classes.has(classAt(tableId, group))) {
        const index = byClass.get(classOfTable) ?? question.classes.push(asked) - 1
        byClass.set(classOfTable, index)
        classes.set(classAt(tableId, group), index)
      }
      if (filter === null || filters.has(filterAt(group, tableId, filter.key))) continue
      const { sql, params } = filter
      const key = `${classOfTable} ${filter.key}`
      const index = byFilter.get(key) ?? question.filters.push({ ...asked, sql, params }) - 1
      byFilter.set(key, index)
      filters.set(filterAt(group, tableId, filter.key), index)
    }
  }
  return { question, classes, filters }
}
