// What a request reads, with all that the catalog knows about it: SQL is made of this alone. Pure.

import type { QualifiedName } from '../../../db/sql.ts'
import type { ColumnTypes } from '../catalog/catalog-types.ts'
import type { Page } from '../grammar/page.ts'
import type { DataQuery, Filter, OrderTerm, SelectItem } from '../grammar/query-ast.ts'

/** Of a relation that nobody has looked at. */
export const UNKNOWN_TYPES: ColumnTypes = () => undefined

/** The rows of one relation, or of a function: which of them, what of each, and in which order. */
export interface Level {
  /** The name that the relation has in the FROM clause. */
  readonly alias: string
  /** The table or view that it is; undefined for the rows of a function. */
  readonly table: QualifiedName | undefined
  readonly typeOf: ColumnTypes
  readonly items: readonly SelectItem[]
  /** All of them must hold. */
  readonly filters: readonly Filter[]
  readonly order: readonly OrderTerm[]
  /** Undefined for all rows. */
  readonly page: Page | undefined
}

/** The rows of a table or view that a query string asks for. */
export function planTable(
  table: QualifiedName,
  { select, filters, order }: DataQuery,
  page: Page | undefined,
  typeOf: ColumnTypes,
): Level {
  return { alias: table.name, table, typeOf, items: select, filters, order, page }
}

/** The rows that a function returns, as a query string asks for them. */
export function planCall({ name }: QualifiedName, { select, filters, order }: DataQuery, page: Page): Level {
  return { alias: name, table: undefined, typeOf: UNKNOWN_TYPES, items: select, filters, order, page }
}
