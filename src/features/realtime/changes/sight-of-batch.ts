// What of a batch is in the sight of whom, as Postgres has answered. Pure, and closed: what was not asked or not
// answered is seen by nobody.

import { quoteQualified } from '../../../db/sql.ts'
import type { RowEvent } from '../../row-changes/ingest/messages.ts'
import type { Seen, SightAnswer, SightError, SightTable } from '../sight/sight-contract.ts'
import { type ColumnChoice, chooseColumns } from './event-json.ts'
import type { PlannedChange, PlannedSubscription, SightPlan } from './plan-sight.ts'
import type { Group, Subscription } from './subscription.ts'

/** Which images are in sight: all, those with a 1, or nobody can say. */
type Sight = 'all' | Uint8Array | SightError

/** A plan with its answer, and what groups have in common. */
export interface Batch {
  readonly plan: SightPlan
  readonly answer: SightAnswer
  /** By the indexes of the question. */
  readonly seen: readonly Sight[]
  readonly choices: Map<string, ColumnChoice>
}

/** A subscription, and what of the batch is in its sight. */
export interface FollowedInBatch {
  readonly subscription: Subscription
  readonly policy: Sight
  readonly filter: Sight
  readonly choice: ColumnChoice
}

/** Makes the answer's lists quick to ask. */
export function openBatch(plan: SightPlan, answer: SightAnswer): Batch {
  const counts = new Map(plan.question.tables.map(({ tableId, images }) => [tableId, images.length]))
  return {
    plan,
    answer,
    seen: plan.question.asked.map(({ tableId }, index) =>
      toSight(answer.seen[index], counts.get(tableId) ?? 0),
    ),
    choices: new Map(),
  }
}

/** Or why the subscription has no events of the batch, in a sentence. */
export function findInBatch(
  batch: Batch,
  group: Group,
  { subscription, ...indexes }: PlannedSubscription,
): FollowedInBatch | string {
  const table = batch.answer.tables[indexes.table]
  if (!table) return 'The table is gone.'
  const name = quoteQualified({ schema: table.table_schema, name: table.table_name })
  if (!table.fits) return `${name} has other columns now than when its rows changed.`
  const choice = choiceOf(batch, table, group, subscription.columns)
  if (choice.names.length === 0) return `permission denied for all columns of ${name} that were asked for.`
  const selectable = table.selectable[group.role]
  const hidden = subscription.filter?.columns.find(column => !selectable.includes(column))
  if (hidden !== undefined)
    return `permission denied for column "${hidden}" of ${name}, which the filter reads.`
  const policy = batch.seen[indexes.policy] ?? UNANSWERED
  if (isError(policy)) return failure('policy', policy, group, name)
  const filter = indexes.filter === null ? 'all' : (batch.seen[indexes.filter] ?? UNANSWERED)
  if (isError(filter)) return failure('filter', filter, group, name)
  return { subscription, policy, filter, choice }
}

/** What the change is to the subscription; null: nothing. */
export function typeFor(
  { policy, filter }: FollowedInBatch,
  { oldImage, newImage }: PlannedChange,
): RowEvent | null {
  const sees = (image: number | null) => image !== null && isIn(policy, image) && isIn(filter, image)
  if (sees(newImage)) return sees(oldImage) ? 'UPDATE' : 'INSERT'
  return sees(oldImage) ? 'DELETE' : null
}

const UNANSWERED: SightError = { code: 'XX000', message: 'The database did not answer.' }

function toSight(seen: Seen | undefined, imageCount: number): Sight {
  if (seen === undefined) return UNANSWERED
  if (seen === 'all' || 'code' in seen) return seen
  const set = new Uint8Array(imageCount)
  for (const index of seen) set[index] = 1
  return set
}

function isIn(sight: Sight, image: number): boolean {
  return sight === 'all' || (sight instanceof Uint8Array && sight[image] === 1)
}

function isError(sight: Sight): sight is SightError {
  return sight !== 'all' && !(sight instanceof Uint8Array)
}

/** The database's message may quote a row: only who may see all rows is told it. */
function failure(what: 'policy' | 'filter', { code, message }: SightError, { role }: Group, table: string) {
  const said = role === 'service_role' ? message : `The ${what} of ${table} failed on a changed row.`
  return `${what} raised: ${code} ${said}`
}

function choiceOf(
  { choices }: Batch,
  table: SightTable,
  { role }: Group,
  columns: readonly string[] | null,
): ColumnChoice {
  const key = `${table.tableId} ${role} ${JSON.stringify(columns)}`
  const known = choices.get(key)
  if (known !== undefined) return known
  const choice = chooseColumns(table, table.selectable[role], columns)
  choices.set(key, choice)
  return choice
}
