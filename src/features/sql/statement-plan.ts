// Which statements go to Postgres for one of the caller's, and how what comes back belongs to it. Pure.

import type { Statement } from '../../db/sql.ts'
import type { StatementResult } from '../../db/sql-wire.ts'
import type { SingleStatement } from './statement.ts'

/** One statement of the caller and its parameters in Postgres' text form. */
export interface SqlItem {
  statement: SingleStatement
  params: readonly (string | null)[]
}

/** What one item became: `length` statements of the batch from `first` on, whose rows come from the one at `rowsAt`. */
export interface PlannedItem {
  item: SqlItem
  first: number
  rowsAt: number
  length: number
  /** Characters that stand before the caller's text in the statement at `first`. */
  prefixLength: number
}

export interface Plan {
  items: PlannedItem[]
  batch: Statement[]
}

/**
 * Reads go through a cursor, so that `rowLimit` bounds the work and not only the answer; one row more is fetched, to
 * know whether the answer is cut. In a longer batch the cursor is closed at once: an open one would keep its tables
 * from being altered.
 */
export function planBatch(items: readonly SqlItem[], rowLimit: number): Plan {
  const plan: Plan = { items: [], batch: [] }
  items.forEach((item, i) => {
    const first = plan.batch.length
    const { statement, params } = item
    if (!statement.isRead) {
      plan.batch.push({ sql: statement.text, params })
      plan.items.push({ item, first, rowsAt: first, length: 1, prefixLength: 0 })
      return
    }
    const cursor = `quoin_cursor_${i}`
    const prefix = `DECLARE ${cursor} NO SCROLL CURSOR FOR `
    // A comment that is left at the end is harmless, because nothing follows it; one semicolon would not be.
    const sql = prefix + statement.text.slice(statement.start, statement.end)
    const fetch = `FETCH FORWARD ${rowLimit + 1} FROM ${cursor}`
    plan.batch.push({ sql, params }, { sql: fetch, params: [] })
    if (items.length > 1) plan.batch.push({ sql: `CLOSE ${cursor}`, params: [] })
    const length = plan.batch.length - first
    plan.items.push({ item, first, rowsAt: first + 1, length, prefixLength: prefix.length })
  })
  return plan
}

/** What the caller is told of one of their statements. */
export interface ItemResult {
  fields: StatementResult['fields']
  rows: StatementResult['rows']
  rowCount: number
  command: string
  isTruncated: boolean
}

/** The item's result out of the batch's, cut at `rowLimit`. */
export function itemResult(
  planned: PlannedItem,
  results: readonly StatementResult[],
  rowLimit: number,
): ItemResult {
  const result = results[planned.rowsAt]
  if (result === undefined) throw new Error(`the batch answered ${results.length} results, too few`)
  const { statement } = planned.item
  const rows = result.rows.length > rowLimit ? result.rows.slice(0, rowLimit) : result.rows
  const isTruncated = result.rows.length > rowLimit
  const { fields } = result
  if (statement.isRead) return { fields, rows, rowCount: rows.length, command: 'SELECT', isTruncated }
  const command = fullTag(result.command, statement.command)
  return { fields, rows, rowCount: result.rowCount ?? result.rows.length, command, isTruncated }
}

/**
 * The wire has the tag's first word; the tree has all of it, but is wrong where Postgres answers with another
 * (`SELECT` for CREATE TABLE AS).
 */
function fullTag(fromWire: string, fromTree: string | undefined): string {
  return fromTree?.startsWith(`${fromWire} `) ? fromTree : fromWire
}
