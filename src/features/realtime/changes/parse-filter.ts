// The `filter` of a subscription as SQL, by the grammar and the operators of the data API. Pure. All values come in one
// parameter, an array of texts, so Postgres gives them no types: each is cast to what the data API's would have.

import type { DatabaseRole } from '../../../db/database.ts'
import { quoteIdentifier } from '../../../db/sql.ts'
import { DomainError } from '../../../errors.ts'
import type { Column } from '../../data-api/catalog/catalog-types.ts'
import { parseCondition } from '../../data-api/grammar/filters.ts'
import { parseField, parseQuoted, parseWhole } from '../../data-api/grammar/grammar.ts'
import type { Condition, Field } from '../../data-api/grammar/query-ast.ts'
import { CONDITIONS_MAX } from '../../data-api/limits.ts'
import type { FieldScope } from '../../data-api/sql/field-sql.ts'
import { filterSql } from '../../data-api/sql/filter-sql.ts'
import { isOfType } from '../../data-api/sql/reliance.ts'
import { refuseUnstorable } from '../../data-api/storable-text.ts'
import type { SightTable } from '../sight/sight-contract.ts'
import { selectableColumn } from './selectable-column.ts'
import { splitFilter } from './split-filter.ts'
import type { SubscriptionFilter } from './subscription.ts'

/** A column's types as SQL names them. */
export type TypedColumn = Pick<Column, 'name' | 'type' | 'baseType'>

/**
 * `room=eq.7`, or several conditions joined by commas, all of which must hold; null for an empty text. `typed` gives
 * the types, `table` what the role may select now. Throws `invalid_filter`.
 */
export function parseFilter(
  table: SightTable,
  typed: readonly TypedColumn[],
  role: DatabaseRole,
  text: string,
): SubscriptionFilter | null {
  if (text.trim() === '') return null
  refuseUnstorable('invalid_filter', 'The filter', text)
  const parts = splitFilter(text)
  if (parts.length > CONDITIONS_MAX)
    throw new DomainError('invalid_filter', `A filter takes at most ${CONDITIONS_MAX} conditions.`)
  const values: string[] = []
  const params = { values, add: (value: unknown) => `($2)[${values.push(String(value))}]` }
  const columns = new Set<string>()
  const conditions = parts.map(part => {
    const condition = conditionOf(table, part)
    const { name } = condition.field
    selectableColumn('invalid_filter', table, role, name)
    const column = typed.find(each => each.name === name)
    if (column === undefined)
      throw new DomainError('invalid_filter', `The column "${name}" is too new to be filtered by.`, {
        hint: 'Join again.',
      })
    columns.add(name)
    return conditionSql(table.table_name, params, condition, column)
  })
  const sql = conditions.map(condition => `(${condition})`).join(' and ')
  return { key: JSON.stringify([sql, values]), sql, params: values, columns: [...columns] }
}

/** `column=operator.value`. A column of any name goes by that name as it is, as in Supabase. */
function conditionOf(table: SightTable, text: string): Condition {
  const separator = /^(?:"(?:[^"\\]|\\[\s\S])*"|[^="])*=/.exec(text)?.[0].length ?? 0
  if (separator === 0) {
    throw new DomainError(
      'invalid_filter',
      `The filter's condition "${text.slice(0, 100)}" could not be read.`,
      {
        hint: 'A condition looks like room=eq.7. Put values that hold commas in double quotes.',
      },
    )
  }
  const left = text.slice(0, separator - 1).trim()
  const isColumn = table.columns.some(({ name }) => name === left)
  const field: Field = isColumn
    ? { name: left, path: [] }
    : parseWhole('invalid_filter', left, left, parseField)
  return parseCondition(left, unquoted(text.slice(separator).trim()), field)
}

/** In a URL quotes around a whole value are part of it; here they may hold commas, so Supabase takes them away. */
function unquoted(text: string): string {
  const [, operator, value] = /^((?:not\.)?[a-z]+(?:\([^()]*\))?\.)("(?:[^"\\]|\\[\s\S])*")$/.exec(text) ?? []
  if (operator === undefined || value === undefined) return text
  return operator + parseWhole('invalid_filter', 'filter', value, parseQuoted)
}

function conditionSql(
  relation: string,
  params: FieldScope['params'],
  condition: Condition,
  column: TypedColumn,
): string {
  const { field, test } = condition
  const typeOf = () => column.type
  if (test.kind === 'is' || test.kind === 'text_search')
    return filterSql({ relation, params, typeOf }, condition)
  const type = valueType(condition, column)
  const isList = test.kind === 'in' || test.kind === 'quantified'
  if (isList && type.endsWith('[]')) {
    throw new DomainError(
      'invalid_filter',
      `The column "${field.name}" holds arrays, which no list can hold.`,
      {
        hint: 'Use eq for the whole array, or cs and ov for its elements.',
      },
    )
  }
  const valueSql = (parameter: string) => `cast(${parameter} as ${type}${isList ? '[]' : ''})`
  const sql = filterSql({ relation, params, typeOf, valueSql }, condition)
  // Behind a JSON path the field proves its type itself.
  if (field.path.length > 0) return sql
  return `${isOfType(`${quoteIdentifier(relation)}.${quoteIdentifier(field.name)}`, column.type)} and ${sql}`
}

const PATTERN_OPERATORS: ReadonlySet<string> = new Set(['like', 'ilike', 'match', 'imatch'])
const TEXT_TYPES: ReadonlySet<string> = new Set(['text', 'character varying', 'bpchar', 'name', '"char"'])

/** What Postgres would read a value as that came as a parameter of its own. */
function valueType({ field, test }: Condition, column: TypedColumn): string {
  const operator = test.kind === 'in' || !('operator' in test) ? '=' : test.operator
  const last = field.path.at(-1)
  const own = column.baseType
  const type = last === undefined ? own : last.arrow === '->>' ? 'text' : own === 'json' ? 'json' : 'jsonb'
  if (PATTERN_OPERATORS.has(operator)) {
    if (TEXT_TYPES.has(type)) return 'text'
    // Types of extensions, as citext, have patterns of their own; of Postgres' types only bytea has.
    if (type !== 'bytea' && !type.includes('.')) {
      throw new DomainError(
        'invalid_filter',
        `${operator} compares texts; "${field.name}" is of type ${type}.`,
      )
    }
  }
  // cidr has no operators but those of inet.
  return type === 'cidr' ? 'inet' : type
}
