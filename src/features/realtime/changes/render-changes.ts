// What groups are told of a batch, once Postgres has said who may see its rows. Pure.

import type { RowEvent } from '../../row-changes/ingest/messages.ts'
import type { SightAnswer, SightTable } from '../sight/sight-contract.ts'
import { type ColumnChoice, cutRow, eventJson } from './event-json.ts'
import { concerns, followKey, type PlannedChange, type SightPlan } from './plan-sight.ts'
import { type Batch, openBatch, typeFor, type Watch, watchOf } from './sight-of-batch.ts'
import type { Group, Subscription } from './subscription.ts'

/** One event for the subscriptions `ids`, whose `data` is `dataJson`. */
export interface Rendered {
  readonly number: number
  readonly ids: readonly number[]
  readonly dataJson: string
}

/** What the subscriptions `ids` are told in place of events. */
export interface Notice {
  /** `must_refetch`: their rows must be read again. `error`: they get nothing of this batch. */
  readonly kind: 'must_refetch' | 'error'
  /** The first change that it is about. */
  readonly number: number
  readonly tableId: number
  readonly ids: readonly number[]
  /** A sentence; values of rows are in it for service_role alone. */
  readonly reason: string
}

export interface Rendering {
  /** In the order of the log. */
  readonly rendered: readonly Rendered[]
  readonly notices: readonly Notice[]
}

/** Answers how to render the batch for a group of the plan. What groups have in common is made once. */
export function renderChanges(plan: SightPlan, answer: SightAnswer): (group: Group) => Rendering {
  const batch = openBatch(plan, answer)
  return group => renderGroup(batch, group)
}

function renderGroup(batch: Batch, group: Group): Rendering {
  const notices = new Map<string, Notice>()
  const watches = new Map<number, Watch[]>()
  for (const subscription of group.subscriptions) {
    const first = batch.plan.firsts.get(followKey(subscription))
    if (first === undefined) continue
    const watch = watchOf(batch, group, subscription, first.table)
    if ('kind' in watch) addNotice(notices, watch.kind, first, subscription, watch.reason)
    else watches.set(first.table, [...(watches.get(first.table) ?? []), watch])
  }
  const rendered: Rendered[] = []
  for (const planned of batch.plan.changes) {
    const table = batch.answer.tables[planned.table]
    const watching = watches.get(planned.table)
    if (!table || watching === undefined) continue
    if (hasImages(planned)) renderChange(table, planned, watching, rendered)
    else {
      const reason = withoutImage(planned, table, group)
      for (const { subscription } of watching) {
        if (concerns(planned.change.event, subscription.event))
          addNotice(notices, 'must_refetch', planned, subscription, reason)
      }
    }
  }
  return { rendered, notices: [...notices.values()] }
}

const hasImages = ({ change, oldImage, newImage }: PlannedChange): boolean =>
  (change.event === 'INSERT' || oldImage !== null) && (change.event === 'DELETE' || newImage !== null)

/** Why there is no image may quote the row. */
function withoutImage({ change }: PlannedChange, { table_schema, table_name }: SightTable, { role }: Group) {
  const why = role === 'service_role' && change.error !== null ? `: ${change.error}` : '.'
  return `A row of "${table_schema}"."${table_name}" was recorded without its values${why}`
}

function addNotice(
  notices: Map<string, Notice>,
  kind: Notice['kind'],
  { change }: PlannedChange,
  { id, tableId }: Subscription,
  reason: string,
): void {
  const key = `${kind} ${tableId} ${reason}`
  const known = notices.get(key)
  if (known === undefined) notices.set(key, { kind, number: change.number, tableId, ids: [id], reason })
  else if (!known.ids.includes(id)) notices.set(key, { ...known, ids: [...known.ids, id] })
}

/** Adds an event for each type and choice of columns that subscriptions of the group get of the change. */
function renderChange(
  table: SightTable,
  planned: PlannedChange,
  watching: readonly Watch[],
  rendered: Rendered[],
): void {
  const { number } = planned.change
  const events = new Map<string, number[]>()
  for (const watch of watching) {
    const type = typeFor(watch, planned)
    const { id, event } = watch.subscription
    if (type === null || (event !== '*' && event !== type)) continue
    const dataJson = dataJsonOf(table, planned, type, watch.choice)
    const ids = events.get(dataJson)
    if (ids === undefined) events.set(dataJson, [id])
    else ids.push(id)
  }
  for (const [dataJson, ids] of events) rendered.push({ number, ids, dataJson })
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
