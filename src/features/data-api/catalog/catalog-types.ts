// What the data API knows about the database: the exposed relations and functions. Types only.
// Every name says which roles may use it: to others it must not be told, for anon keys are public.

import type { DatabaseRole } from '../../../db/database.ts'
import type { QualifiedName } from '../../../db/sql.ts'

export interface Column {
  readonly name: string
  /** As `format_type` prints it without length and precision, with its schema unless that is pg_catalog: for SQL. */
  readonly type: string
  /** The type that values are read as: that under a domain, which may refuse the null of a key that was not sent. */
  readonly baseType: string
  /** The default as Postgres prints it, every name qualified; undefined where there is none. */
  readonly defaultSql: string | undefined
  /** Roles that may select, insert or update it, once they may use its relation. */
  readonly usableBy: readonly DatabaseRole[]
}

/** A table, view, materialized view, foreign or partitioned table. */
export interface Relation {
  readonly schema: string
  readonly name: string
  readonly columns: readonly Column[]
  /** Columns of the primary key in the key's order, of a view as it shows them; empty without one. */
  readonly primaryKey: readonly string[]
  readonly isView: boolean
  /** The methods that change its rows, whoever asks. */
  readonly changes: readonly ('POST' | 'PATCH' | 'DELETE')[]
  /** Roles with a right to its rows, or to a column of them. */
  readonly usableBy: readonly DatabaseRole[]
}

export interface FunctionArgument {
  /** Empty for an argument without a name. */
  readonly name: string
  /** As `format_type` prints it. */
  readonly type: string
  readonly hasDefault: boolean
  readonly isVariadic: boolean
}

/** A value that is a body of its own, since its type is a domain with the name of a media type. */
export interface MediaResult {
  /** As `text/html`; `*` and `/` between are any. */
  readonly type: string
  readonly isBytes: boolean
}

export interface DatabaseFunction {
  readonly schema: string
  readonly name: string
  /** Its oid, a space, and the number of the transaction that changed it last. */
  readonly version: string
  /** What a caller passes: IN, INOUT and VARIADIC arguments. */
  readonly arguments: readonly FunctionArgument[]
  /** `void`; `scalar` for one value; `row` for composites, OUT arguments and TABLE. */
  readonly returns: 'void' | 'scalar' | 'row'
  /** True for rows whose columns nobody declared (`record`): each is one value, which no FROM clause can hold. */
  readonly isRecord: boolean
  /** Columns of the rows that it returns; empty for values. */
  readonly resultColumns: readonly string[]
  /** The relation whose rows it returns; undefined for rows of no relation, and for values. */
  readonly resultTable: QualifiedName | undefined
  readonly media: MediaResult | undefined
  readonly returnsSet: boolean
  /** True when it may write: anything but STABLE and IMMUTABLE. */
  readonly isVolatile: boolean
  /** Roles that may execute it. */
  readonly usableBy: readonly DatabaseRole[]
}

/**
 * Type of a column as `format_type` prints it; undefined where nobody looked, or it may be a function over the row;
 * `unknown` where the remembered catalog has neither.
 */
export type ColumnTypes = (column: string) => string | undefined
