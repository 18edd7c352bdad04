// What groups are told of a batch, once Postgres has said who may see its rows. Pure.

import { quoteQualified } from '../../../db/sql.ts'
import type { RowEvent } from '../../row-changes/ingest/messages.ts'
import type { SightAnswer, SightTable } from '../sight/sight-contract.ts'
import { type ColumnChoice, cutRow, eventJson } from './event-json.ts'
import { concerns, type PlannedChange, type SightPlan } from './plan-sight.ts'
import { type Batch, type FollowedInBatch, findInBatch, openBatch, typeFor } from './sight-of-batch.ts'
import type { Group } from './subscription.ts'

/** An event for the subscriptions `ids`, whose `data` is `dataJson`. */
export interface RowsTold {
  readonly number: number
  readonly ids: readonly number[]
  readonly dataJson: string
}

/** Why rows must be read again: a sentence. Values of rows are in it for service_role alone. */
export interface RefetchTold {
  readonly reason: string
}

export type Told = RowsTold | RefetchTold

/**
 * Answers what a group of the plan is told of the batch, in the order of the log. What groups have in common is made
 * once. A reason comes again behind rows: these go on top of what was read for the one before.
 */
export function renderChanges(plan: SightPlan, answer: SightAnswer): (group: Group) => readonly Told[] {
  const batch = openBatch(plan, answer)
  return group => renderGroup(batch, group)
}

function renderGroup(batch: Batch, group: Group): Told[] {
  const told: Told[] = []
  const reasons = new Set<string>()
  const refetch = (reason: string) => {
    if (!reasons.has(reason)) told.push({ reason })
    reasons.add(reason)
  }
  const asked = batch.plan.followed.get(group.key)
  if (asked === undefined) refetch('It was not asked what the caller may see.')
  const followed = new Map<number, FollowedInBatch[]>()
  for (const planned of asked ?? []) {
    const found = findInBatch(batch, group, planned)
    if (typeof found === 'string') refetch(found)
    else followed.set(planned.table, [...(followed.get(planned.table) ?? []), found])
  }
  for (const planned of batch.plan.changes) {
    const table = batch.answer.tables[planned.table]
    const concerned = (followed.get(planned.table) ?? []).filter(({ subscription }) =>
      concerns(planned.change.event, subscription.event),
    )
    if (!table || concerned.length === 0) continue
    if (!hasImages(planned)) refetch(withoutImages(planned, table, group))
    else {
      const rows = renderChange(table, planned, concerned)
      if (rows.length > 0) reasons.clear()
      told.push(...rows)
    }
  }
  return told
}

const hasImages = ({ change, oldImage, newImage }: PlannedChange): boolean =>
  (change.event === 'INSERT' || oldImage !== null) && (change.event === 'DELETE' || newImage !== null)

/** Why there is no image may quote the row. */
function withoutImages({ change }: PlannedChange, { table_schema, table_name }: SightTable, { role }: Group) {
  const name = quoteQualified({ schema: table_schema, name: table_name })
  if (change.event === 'TRUNCATE') return `${name} was truncated.`
  const why = role === 'service_role' && change.error !== null ? `: ${change.error}` : '.'
  return `A row of ${name} was recorded without its values${why}`
}

/** An event for each type and choice of columns that subscriptions get of the change. */
function renderChange(
  table: SightTable,
  planned: PlannedChange,
  followed: readonly FollowedInBatch[],
): RowsTold[] {
  const { number } = planned.change
  const events = new Map<string, number[]>()
  for (const one of followed) {
    const type = typeFor(one, planned)
    const { id, event } = one.subscription
    if (type === null || (event !== '*' && event !== type)) continue
    const dataJson = dataJsonOf(table, planned, type, one.choice)
    const ids = events.get(dataJson)
    if (ids === undefined) events.set(dataJson, [id])
    else ids.push(id)
  }
  return [...events].map(([dataJson, ids]) => ({ number, ids, dataJson }))
}

const TYPES: readonly RowEvent[] = ['INSERT', 'UPDATE', 'DELETE']

function dataJsonOf(
  table: SightTable,
  { change }: PlannedChange,
  type: RowEvent,
  choice: ColumnChoice,
): string {
  const key = change.number * TYPES.length + TYPES.indexOf(type)
  const known = choice.texts.get(key)
  if (known !== undefined) return known
  const old = change.event === 'DELETE' ? change.row : change.old_row
  const record = type === 'DELETE' ? null : cutRow(change.row ?? '{}', choice)
  const oldRecord = type === 'INSERT' ? null : cutRow(old ?? '{}', choice)
  const text = eventJson(table, change, type, choice, record, oldRecord)
  choice.texts.set(key, text)
  return text
}
