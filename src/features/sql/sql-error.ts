// Says where in the caller's own text a statement failed: Postgres saw a batch with statements and prefixes of ours.
// Pure.

import { PostgresError } from '../../db/postgres-error.ts'
import { DomainError } from '../../errors.ts'
import { sqlHint } from './sql-hints.ts'
import type { Plan, PlannedItem } from './statement-plan.ts'
import { placeOf, positionAt } from './text-place.ts'

/**
 * The error as the caller should see it: position, line and column in their text, hints that only this route knows, and
 * in a transaction the index of the statement. Whatever is no `PostgresError` comes back as it is.
 */
export function placeFailure(err: unknown, plan: Plan): unknown {
  if (!(err instanceof PostgresError)) return err
  const planned = plan.items.length === 1 ? plan.items[0] : failedItem(err, plan)
  if (err.code === '08P01') return wrongParameterCount(err, planned, plan)
  const position = planned && positionInText(err, planned)
  const detail =
    err.detail ?? (position && planned ? placeOf(planned.item.statement.text, position) : undefined)
  return rebuilt(err, {
    position,
    detail: plan.items.length === 1 ? detail : withIndex(detail, placeInTransaction(err, plan, planned)),
    hint: sqlHint(err, planned?.item.params),
  })
}

/**
 * As `placeFailure`, for what the parser or a rule said of the statement at `index`; undefined outside a transaction.
 */
export function placeRefusal(err: unknown, text: string, index: number | undefined): unknown {
  const where = index === undefined ? undefined : `statements[${index}]`
  if (err instanceof PostgresError) {
    const detail = err.detail ?? (err.position ? placeOf(text, err.position) : undefined)
    return rebuilt(err, { position: err.position, detail: withIndex(detail, where), hint: sqlHint(err) })
  }
  if (!(err instanceof DomainError) || where === undefined) return err
  const { hint, cause, retryAfterSeconds } = err
  return new DomainError(err.code, err.message, {
    detail: withIndex(err.detail, where),
    hint,
    cause,
    retryAfterSeconds,
  })
}

/**
 * The caller's statement that the failed one of the batch belongs to; undefined at COMMIT, and on Neon, which does
 * not tell.
 */
function failedItem({ queryIndex }: PostgresError, plan: Plan): PlannedItem | undefined {
  if (queryIndex === undefined) return undefined
  return plan.items.find(({ first, length }) => queryIndex >= first && queryIndex < first + length)
}

function placeInTransaction(
  err: PostgresError,
  plan: Plan,
  planned: PlannedItem | undefined,
): string | undefined {
  if (planned) return `statements[${plan.items.indexOf(planned)}]`
  return err.queryIndex !== undefined && err.queryIndex >= plan.batch.length ? 'at COMMIT' : undefined
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

function withIndex(detail: string | undefined, where: string | undefined): string | undefined {
  if (where === undefined) return detail
  return detail === undefined ? where : `${where}: ${detail}`
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

interface Placed {
  position: number | undefined
  detail: string | undefined
  hint: string | undefined
}

function rebuilt(err: PostgresError, { position, detail, hint }: Placed): PostgresError {
  const { message, code, schema, table, column, constraint, queryIndex } = err
  return new PostgresError({
    message,
    code,
    detail: detail ?? null,
    hint: hint ?? null,
    position: position === undefined ? null : String(position),
    schema: schema ?? null,
    table: table ?? null,
    column: column ?? null,
    constraint: constraint ?? null,
    queryIndex: queryIndex ?? null,
  })
}
