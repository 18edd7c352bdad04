// Filters as SQL. Pure. Every value is a parameter without a type, so that Postgres reads it as the column's type.

import { writeArrayLiteral } from '../../../lib/array-literal.ts'
import { COMPARE_SQL, TEXT_SEARCH_SQL } from '../grammar/operators.ts'
import type { Condition, Filter, IsValue, Test } from '../grammar/query-ast.ts'
import { type FieldScope, fieldSql } from './field-sql.ts'

const IS_SQL: Readonly<Record<IsValue, string>> = {
  null: 'is null',
  not_null: 'is not null',
  true: 'is true',
  false: 'is false',
  unknown: 'is unknown',
}

/** ` where ...` over all filters, or nothing. */
export function whereSql(scope: FieldScope, filters: readonly Filter[]): string {
  return filters.length === 0 ? '' : ` where ${filters.map(filter => filterSql(scope, filter)).join(' and ')}`
}

function filterSql(scope: FieldScope, filter: Filter): string {
  if (filter.kind === 'condition') return conditionSql(scope, filter)
  const branches = filter.filters.map(branch => filterSql(scope, branch)).join(` ${filter.operator} `)
  return `${filter.isNegated ? 'not ' : ''}(${branches})`
}

function conditionSql(scope: FieldScope, { field, isNegated, test }: Condition): string {
  const sql =
    test.kind === 'text_search'
      ? textSearchSql(scope, field, test)
      : `${fieldSql(scope, field)} ${testSql(scope, test)}`
  return isNegated ? `not ${sql}` : sql
}

function testSql({ params }: FieldScope, test: Exclude<Test, { kind: 'text_search' }>): string {
  switch (test.kind) {
    case 'compare':
      return `${COMPARE_SQL[test.operator]} ${params.add(withWildcards(test.operator, test.value))}`
    case 'quantified': {
      const values = params.add(withWildcards(test.operator, test.values))
      return `${COMPARE_SQL[test.operator]} ${test.quantifier} (${values})`
    }
    case 'in':
      // One parameter for the whole list, so that lists of any length share one SQL text.
      return `= any (${params.add(writeArrayLiteral(test.values))})`
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
  const type = field.path.length > 0 ? 'text' : (scope.typeOf(field.name) ?? 'tsvector')
  const vector = type === 'tsvector' ? document : `pg_catalog.to_tsvector(${config}${document})`
  return `${vector} @@ ${TEXT_SEARCH_SQL[test.operator]}(${config}${scope.params.add(test.query)})`
}

/** True when the SQL of the filter depends on column types, which only the catalog knows. */
export function filterNeedsTypes(filter: Filter): boolean {
  if (filter.kind === 'tree') return filter.filters.some(filterNeedsTypes)
  return filter.field.path.length > 0 || filter.test.kind === 'text_search'
}
