// Filters as SQL. Pure. Every value is a parameter without a type, so that Postgres reads it as the column's type: the
// one that the column has when the text is parsed, which the text itself proves to be still so.

import { writeArrayLiteral } from '../../../lib/array-literal.ts'
import { COMPARE_SQL, TEXT_SEARCH_SQL } from '../grammar/operators.ts'
import type { Condition, Field, Filter, IsValue, Test } from '../grammar/query-ast.ts'
import type { Embed, LevelFilter } from '../plan/level.ts'
import { type FieldScope, fieldSql } from './field-sql.ts'
import { ofType } from './reliance.ts'

const IS_SQL: Readonly<Record<IsValue, string>> = {
  null: 'is null',
  not_null: 'is not null',
  true: 'is true',
  false: 'is false',
  unknown: 'is unknown',
}

/** The fields whose types Postgres gives to parameters. */
export function comparedFields(filter: LevelFilter): Field[] {
  if (filter.kind === 'related') return []
  if (filter.kind === 'tree') return filter.filters.flatMap(comparedFields)
  return filter.test.kind === 'is' || filter.test.kind === 'text_search' ? [] : [filter.field]
}

/**
 * One filter, without a proof that its columns still have the types that its values are read as. `relatedSql` says
 * whether there are rows of a level below.
 */
export function filterSql(
  scope: FieldScope,
  filter: LevelFilter,
  relatedSql: (embed: Embed) => string = refuseRelated,
): string {
  if (filter.kind === 'condition') return conditionSql(scope, filter)
  const not = filter.isNegated ? 'not ' : ''
  if (filter.kind === 'related') return `${not}${relatedSql(filter.embed)}`
  const branches = filter.filters.map(branch => filterSql(scope, branch, relatedSql))
  return `${not}(${branches.join(` ${filter.operator} `)})`
}

function refuseRelated(): never {
  throw new TypeError('only levels have relations below')
}

function conditionSql(scope: FieldScope, { field, isNegated, test }: Condition): string {
  const sql =
    test.kind === 'text_search'
      ? textSearchSql(scope, field, test)
      : `${fieldSql(scope, field)} ${testSql(scope, test)}`
  return isNegated ? `not ${sql}` : sql
}

function testSql(scope: FieldScope, test: Exclude<Test, { kind: 'text_search' }>): string {
  const { params, valueSql = sql => sql } = scope
  switch (test.kind) {
    case 'compare':
      return `${COMPARE_SQL[test.operator]} ${valueSql(params.add(withWildcards(test.operator, test.value)))}`
    case 'quantified': {
      const values = valueSql(params.add(withWildcards(test.operator, test.values)))
      return `${COMPARE_SQL[test.operator]} ${test.quantifier} (${values})`
    }
    case 'in':
      // One parameter for the whole list, so that lists of any length share one SQL text.
      return `= any (${valueSql(params.add(writeArrayLiteral(test.values)))})`
    case 'is':
      return IS_SQL[test.value]
  }
}

/** `*` stands for `%`, which would have to be escaped in a URL. */
function withWildcards(operator: string, value: string): string {
  return operator === 'like' || operator === 'ilike' ? value.replaceAll('*', '%') : value
}

function textSearchSql(
  scope: FieldScope,
  field: Condition['field'],
  test: Extract<Test, { kind: 'text_search' }>,
): string {
  const config = test.config === undefined ? '' : `${scope.params.add(test.config)}::regconfig,`
  const document = fieldSql(scope, field)
  const type = field.path.length > 0 ? undefined : scope.typeOf(field.name)
  // A column that the catalog does not have is new: if it is no tsvector, the catalog is read again.
  const proven = type === undefined ? document : ofType(document, type === 'unknown' ? 'tsvector' : type)
  const isText = field.path.length > 0 || (type !== undefined && type !== 'unknown' && type !== 'tsvector')
  const vector = isText ? `pg_catalog.to_tsvector(${config}${proven})` : proven
  return `${vector} @@ ${TEXT_SEARCH_SQL[test.operator]}(${config}${scope.params.add(test.query)})`
}

/** True when the SQL of the filter depends on column types, which only the catalog knows. */
export function filterNeedsTypes(filter: Filter): boolean {
  if (filter.kind === 'tree') return filter.filters.some(filterNeedsTypes)
  return filter.field.path.length > 0 || filter.test.kind === 'text_search'
}
