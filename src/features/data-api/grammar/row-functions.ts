// Names that are functions of Postgres over a whole row: where a relation has no such column, `"big"."json_agg"` is
// `json_agg("big")`, which folds all rows into one past every page limit. Users' own functions over a row stay allowed.

import type { ErrorCode } from '../../../errors.ts'
import { CatalogRefusal } from '../catalog/catalog-refusal.ts'
import type { DataQuery, Filter, SelectedCount, SelectItem } from './query-ast.ts'

/**
 * Where the set below comes from, as Postgres 18 answers. Functions that only work with OVER or WITHIN GROUP are not in
 * it: without them Postgres itself refuses, and `rank` or `mode` are likely columns.
 */
export const ROW_FUNCTIONS_SQL = `select distinct p.proname::text as name
  from pg_catalog.pg_proc p left join pg_catalog.pg_aggregate a on a.aggfnoid = p.oid
  where p.pronamespace = 'pg_catalog'::regnamespace and p.pronargs >= 1 and p.pronargs - p.pronargdefaults <= 1
    and p.proargtypes[0]::regtype::text in
      ('"any"', 'anyelement', 'anynonarray', 'anycompatible', 'anycompatiblenonarray', 'record')
    and p.prokind <> 'w' and coalesce(a.aggkind, 'n') = 'n'
  order by 1`

/** The answer to `ROW_FUNCTIONS_SQL`. */
export const ROW_FUNCTIONS: ReadonlySet<string> = new Set([
  'any_out',
  'any_value',
  'anycompatible_out',
  'anycompatiblenonarray_out',
  'anyelement_out',
  'anynonarray_out',
  'array_agg',
  'concat',
  'count',
  'hash_record',
  'json_agg',
  'json_agg_strict',
  'json_build_array',
  'json_build_object',
  'jsonb_agg',
  'jsonb_agg_strict',
  'jsonb_build_array',
  'jsonb_build_object',
  'max',
  'min',
  'num_nonnulls',
  'num_nulls',
  'pg_collation_for',
  'pg_column_compression',
  'pg_column_size',
  'pg_column_toast_chunk_id',
  'pg_restore_attribute_stats',
  'pg_restore_relation_stats',
  'pg_typeof',
  'quote_literal',
  'quote_nullable',
  'record_out',
  'record_send',
  'row_to_json',
  'to_json',
  'to_jsonb',
])

type Place = 'select' | 'filter' | 'order'

const CODES: Readonly<Record<Place, ErrorCode>> = {
  select: 'invalid_select',
  filter: 'invalid_filter',
  order: 'invalid_order',
}

/** True when the request names one of them, so that only the catalog knows whether it means a column. */
export function namesRowFunction(query: FieldsQuery): boolean {
  return firstRowFunction(query, () => false) !== undefined
}

/** `select=count` alone, where the relation has no such column, counts: so older clients of PostgREST write it. */
export function countedRows<Item extends SelectItem>(
  select: readonly Item[],
  columns: readonly string[] | undefined,
): readonly (Item | SelectedCount)[] {
  const [item, ...others] = select
  if (others.length > 0 || item?.kind !== 'field' || item.aggregate !== undefined) return select
  const { field, alias, cast } = item
  const isCount = field.name === 'count' && field.path.length === 0
  if (!isCount || columns === undefined || columns.includes('count')) return select
  return [{ kind: 'count', isBare: true, alias, cast }]
}

/** What of a query string names fields of the rows. */
type FieldsQuery = Pick<DataQuery, 'select' | 'filters' | 'order'>

/** Throws `invalid_select`, `invalid_filter` or `invalid_order` for such a name that is no column of the relation. */
export function refuseRowFunctions(query: FieldsQuery, relation: string, columns: readonly string[]): void {
  const found = firstRowFunction(query, name => columns.includes(name))
  if (found === undefined) return
  throw new CatalogRefusal(CODES[found.place], `"${relation}" has no column "${found.name}".`, {
    detail: `${found.name} is a function of Postgres over whole rows, which is not called here.`,
    hint: 'Name columns only. Aggregates are written amount.sum(), count(); other functions go into a view.',
  })
}

function firstRowFunction(
  { select, filters, order }: FieldsQuery,
  isColumn: (name: string) => boolean,
): { place: Place; name: string } | undefined {
  const isFunction = (name: string): boolean => ROW_FUNCTIONS.has(name) && !isColumn(name)
  for (const item of select) {
    if (item.kind === 'field' && isFunction(item.field.name))
      return { place: 'select', name: item.field.name }
  }
  for (const filter of filters) {
    const name = functionInFilter(filter, isFunction)
    if (name !== undefined) return { place: 'filter', name }
  }
  const term = order.find(({ relation, field }) => relation === undefined && isFunction(field.name))
  return term && { place: 'order', name: term.field.name }
}

function functionInFilter(filter: Filter, isFunction: (name: string) => boolean): string | undefined {
  if (filter.kind === 'condition') return isFunction(filter.field.name) ? filter.field.name : undefined
  for (const branch of filter.filters) {
    const name = functionInFilter(branch, isFunction)
    if (name !== undefined) return name
  }
  return undefined
}
