// Says where in the caller's own text a statement failed: Postgres saw a batch with statements and prefixes of ours.
// Pure.

import { PostgresError } from '../../db/postgres-error.ts'
import { DomainError } from '../../errors.ts'
import { placeAt, placeWords, positionAt } from '../../lib/text-place.ts'
import { sqlHint } from './sql-hints.ts'
import type { Plan, PlannedItem } from './statement-plan.ts'

/**
 * The error as the caller should see it: line and column in their text, hints that only this route knows, and in a
 * transaction the index of the statement; each as a field, and in `detail` for people. Whatever is no `PostgresError`
 * comes back as it is.
 */
export function placeFailure(err: unknown, plan: Plan): unknown {
  if (!(err instanceof PostgresError)) return err
  const planned = plan.items.length === 1 ? plan.items[0] : failedItem(err, plan)
  if (err.code === '08P01') return wrongParameterCount(err, planned, plan)
  const position = planned && positionInText(err, planned)
  if (position && planned) err.place = placeAt(planned.item.statement.text, position)
  if (plan.items.length > 1) err.statementIndex = indexInTransaction(err, plan, planned)
  err.detail = detailOf(err, plan.items.length)
  err.hint = sqlHint(err, planned?.item.params)
  return err
}

/**
 * As `placeFailure`, for what the parser or a rule said of the statement at `index`; undefined outside a transaction.
 */
export function placeRefusal(err: unknown, text: string, index: number | undefined): unknown {
  if (err instanceof PostgresError) {
    if (err.position) err.place = placeAt(text, err.position)
    err.statementIndex = index
    err.detail = detailOf(err)
    err.hint = sqlHint(err)
    return err
  }
  if (!(err instanceof DomainError) || index === undefined) return err
  const { code, message, hint, cause, retryAfterSeconds, place } = err
  const statement = { place, statementIndex: index }
  const detail = detailOf({ detail: err.detail, ...statement })
  return new DomainError(code, message, { detail, hint, cause, retryAfterSeconds, ...statement })
}

/** What people read: the error's own detail or else its place, behind the statement. */
function detailOf(
  { detail, place, statementIndex }: Pick<PostgresError, 'detail' | 'place' | 'statementIndex'>,
  statementCount?: number,
): string | undefined {
  const more = detail ?? (place && placeWords(place))
  if (statementIndex === undefined) return more
  const where = statementIndex === statementCount ? 'at COMMIT' : `statements[${statementIndex}]`
  return more === undefined ? where : `${where}: ${more}`
}

/**
 * The caller's statement that the failed one of the batch belongs to; undefined at COMMIT, and on Neon, which does
 * not tell.
 */
function failedItem({ queryIndex }: PostgresError, plan: Plan): PlannedItem | undefined {
  if (queryIndex === undefined) return undefined
  return plan.items.find(({ first, length }) => queryIndex >= first && queryIndex < first + length)
}

/** At COMMIT the number of statements. */
function indexInTransaction(
  { queryIndex }: PostgresError,
  plan: Plan,
  planned: PlannedItem | undefined,
): number | undefined {
  if (planned) return plan.items.indexOf(planned)
  return queryIndex !== undefined && queryIndex >= plan.batch.length ? plan.items.length : undefined
}

/** Characters (not UTF-16 units) from 1 in the caller's text; undefined when Postgres meant a statement of ours. */
function positionInText({ position, queryIndex }: PostgresError, planned: PlannedItem): number | undefined {
  if (position === undefined) return undefined
  if (queryIndex !== undefined && queryIndex !== planned.first) return undefined
  if (planned.prefixLength === 0) return position
  if (position <= planned.prefixLength) return undefined
  const { text, start } = planned.item.statement
  return position - planned.prefixLength + positionAt(text, start) - 1
}

/** Where the numbers that were given and that are needed stand in Postgres' message, in any language. */
const MESSAGE_END_LENGTH = 100
const NUMBERS = /(\d+)\D+(\d+)\D*$/

/** Postgres calls it a protocol violation, which would be our fault; it is `params` that does not fit the SQL. */
function wrongParameterCount(err: PostgresError, failed: PlannedItem | undefined, plan: Plan): DomainError {
  // Of the end alone: the message may be a caller's own, as long as they like.
  const [, given, needed] = NUMBERS.exec(err.message.slice(-MESSAGE_END_LENGTH)) ?? []
  const planned = failed ?? onlyItemWith(Number(given), plan)
  const takes = `takes ${needed ?? 'another number of them'}`
  const what = planned
    ? `${paramsOf(planned, plan)}: ${planned.item.params.length} given, but the statement ${takes}.`
    : `statements: one was given ${given ?? 'a number of'} params, but ${takes}.`
  return new DomainError('validation_failed', what, {
    detail: err.message,
    hint: 'Give one value for each of $1, $2, ... in the SQL.',
    cause: err,
    statementIndex: planned && plan.items.length > 1 ? plan.items.indexOf(planned) : undefined,
  })
}

/** On Neon, which does not tell the statement: the one that was given so many parameters, if there is one alone. */
function onlyItemWith(given: number, plan: Plan): PlannedItem | undefined {
  const [first, second] = plan.items.filter(({ item }) => item.params.length === given)
  return second === undefined ? first : undefined
}

function paramsOf(planned: PlannedItem, plan: Plan): string {
  return plan.items.length === 1 ? 'params' : `statements[${plan.items.indexOf(planned)}].params`
}
