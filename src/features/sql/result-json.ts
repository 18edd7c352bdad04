// Writes the JSON text of SQL answers straight from the wire's texts: no row ever becomes an object. Pure.

import { responseTooLarge } from '../../db/wire-failure.ts'
import { DomainError } from '../../errors.ts'
import { TextBuilder } from '../../lib/text-builder.ts'
import type { ItemResult } from './statement-plan.ts'
import { type FindType, toJsonOf } from './values.ts'

/**
 * The most characters of all rows of one call: twice what is read of the database's answer, which names each column
 * once. A row here repeats the names, and 1 600 NULLs become 100 KB.
 */
const RESULTS_LENGTH_MAX = 32 * 1024 * 1024

/**
 * The most values of all results of one call, those inside arrays among them. Their length alone says too little: 16 MB
 * from the database hold five million values, which take seconds and hundreds of megabytes.
 */
const VALUES_MAX = 1_000_000

/** What is left of a call's bounds. Throws `response_too_large` when it is used up; by then the call is committed. */
class Allowance {
  #characters = RESULTS_LENGTH_MAX
  #values = VALUES_MAX

  /** Takes `count` values; those of a result are taken before its first is written. */
  takeValues(count: number): void {
    this.#values -= count
    if (this.#values < 0) throw tooManyValues()
  }

  takeCharacters(count: number): void {
    this.#characters -= count
    if (this.#characters < 0) throw responseTooLarge(RESULTS_LENGTH_MAX, true)
  }
}

function tooManyValues(): DomainError {
  return new DomainError(
    'response_too_large',
    `The result has more than ${VALUES_MAX} values. The transaction was committed all the same: what it wrote stays.`,
    { hint: 'Ask for less at a time: a smaller row_limit, fewer columns, or an array as text.' },
  )
}

/** The JSON text of each response. Throws `response_too_large`; by then the transaction is committed. */
export function resultTexts(results: readonly ItemResult[], findType: FindType): string[] {
  const allowance = new Allowance()
  for (const { fields, rows } of results) allowance.takeValues(fields.length * rows.length)
  return results.map(result => resultJson(result, findType, allowance))
}

/** The JSON text of one SQL response (spec, SQL request and response shapes). */
function resultJson(result: ItemResult, findType: FindType, allowance: Allowance): string {
  const { fields, rowCount, command, isTruncated } = result
  const names = distinctNames(fields.map(field => field.name))
  const columns = fields.map(({ dataTypeID }, i) =>
    JSON.stringify({ name: names[i], dataTypeID, typeName: findType(dataTypeID)?.name ?? 'unknown' }),
  )
  return (
    `{"rows":[${rowsJson(result, names, findType, allowance)}],"rowCount":${rowCount},` +
    `"columns":[${columns.join(',')}],"command":${JSON.stringify(command)}${isTruncated ? ',"truncated":true' : ''}}`
  )
}

function rowsJson(
  { fields, rows }: ItemResult,
  names: readonly string[],
  findType: FindType,
  allowance: Allowance,
): string {
  const onValue = () => allowance.takeValues(1)
  const columns = fields.map(({ dataTypeID }, i) => ({
    key: `${i > 0 ? ',' : ''}${JSON.stringify(names[i])}:`,
    toJson: toJsonOf(dataTypeID, findType, onValue),
  }))
  const json = new TextBuilder()
  for (const row of rows) {
    const before = json.length
    json.add(before === 0 ? '{' : ',{')
    for (let i = 0; i < columns.length; i++) {
      const column = columns[i]
      const text = row[i]
      if (column) json.add(column.key + (text === null || text === undefined ? 'null' : column.toJson(text)))
    }
    json.add('}')
    allowance.takeCharacters(json.length - before)
  }
  return json.toString()
}

/** Names for the keys of a row: a repeated one gets the first free `_2`, `_3`, ..., so that no value is lost. */
export function distinctNames(names: readonly string[]): string[] {
  const taken = new Set(names)
  /** By name, the number to try next: what was taken once stays taken. */
  const next = new Map<string, number>()
  return names.map(name => {
    let n = next.get(name)
    if (n === undefined) {
      next.set(name, 2)
      return name
    }
    while (taken.has(`${name}_${n}`)) n++
    next.set(name, n + 1)
    return `${name}_${n}`
  })
}
