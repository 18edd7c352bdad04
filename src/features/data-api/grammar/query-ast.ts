// The typed form of a data request's query string. Parsers make it, statement builders read it; neither knows the
// other.

/** One step of a JSON path: `->key`, `->>key`, `->0`. */
export interface JsonStep {
  readonly arrow: '->' | '->>'
  /** A number addresses an array element, negative from its end. */
  readonly operand: string | number
}

/** A column, or a place inside a JSON, composite or array column. */
export interface Field {
  readonly name: string
  readonly path: readonly JsonStep[]
}

export interface AllColumns {
  readonly kind: 'all'
}

export type AggregateName = 'sum' | 'avg' | 'count' | 'max' | 'min'

/** A function over the rows that are alike in all other items, and the type that its value is cast to. */
export interface Aggregate {
  readonly name: AggregateName
  readonly cast: string | undefined
}

export interface SelectedField {
  readonly kind: 'field'
  readonly field: Field
  readonly alias: string | undefined
  readonly cast: string | undefined
  readonly aggregate: Aggregate | undefined
}

/** `count()`: how many rows are alike in all other items. */
export interface SelectedCount {
  readonly kind: 'count'
  /** True for `count` alone, which is a column where there is one. */
  readonly isBare: boolean
  readonly alias: string | undefined
  readonly cast: string | undefined
}

/** Rows of a related relation: an object, an array, or with `isSpread` columns beside the others. */
export interface SelectedEmbed {
  readonly kind: 'embed'
  /** The name of a relation, a foreign key, a column of one, or a function. */
  readonly target: string
  readonly alias: string | undefined
  /** What tells several relationships apart. */
  readonly hint: string | undefined
  /** True: rows without a related one are left out. */
  readonly isInner: boolean
  readonly isSpread: boolean
  readonly items: readonly SelectItem[]
}

export type SelectItem = AllColumns | SelectedField | SelectedCount | SelectedEmbed

/** Operators whose SQL is `column <operator> value`. */
export type CompareOperator =
  | 'eq'
  | 'neq'
  | 'gt'
  | 'gte'
  | 'lt'
  | 'lte'
  | 'like'
  | 'ilike'
  | 'match'
  | 'imatch'
  | 'isdistinct'
  | 'cs'
  | 'cd'
  | 'ov'
  | 'sl'
  | 'sr'
  | 'nxr'
  | 'nxl'
  | 'adj'

/** The compare operators that take `(any)` and `(all)` with an array literal. */
export type QuantifiableOperator = 'eq' | 'gt' | 'gte' | 'lt' | 'lte' | 'like' | 'ilike' | 'match' | 'imatch'

export type TextSearchOperator = 'fts' | 'plfts' | 'phfts' | 'wfts'

export type IsValue = 'null' | 'not_null' | 'true' | 'false' | 'unknown'

/** What a condition asks of its field. Values are raw text; Postgres reads them with the column's type. */
export type Test =
  | { readonly kind: 'compare'; readonly operator: CompareOperator; readonly value: string }
  | {
      readonly kind: 'quantified'
      readonly operator: QuantifiableOperator
      readonly quantifier: 'any' | 'all'
      /** A Postgres array literal, `{1,2}`. */
      readonly values: string
    }
  | { readonly kind: 'in'; readonly values: readonly string[] }
  | { readonly kind: 'is'; readonly value: IsValue }
  | {
      readonly kind: 'text_search'
      readonly operator: TextSearchOperator
      readonly config: string | undefined
      readonly query: string
    }

export interface Condition {
  readonly kind: 'condition'
  readonly field: Field
  readonly isNegated: boolean
  readonly test: Test
}

export interface LogicTree {
  readonly kind: 'tree'
  readonly operator: 'and' | 'or'
  readonly isNegated: boolean
  readonly filters: readonly Filter[]
}

export type Filter = Condition | LogicTree

export interface OrderTerm {
  /** An embedded relation whose field it is; undefined for one of the rows themselves. */
  readonly relation: string | undefined
  readonly field: Field
  readonly direction: 'asc' | 'desc' | undefined
  readonly nulls: 'first' | 'last' | undefined
}

/** Which rows are asked for, and in which order. `limit` and `offset` are still text: `page.ts` judges them. */
export interface RowsQuery {
  /** All of them must hold. */
  readonly filters: readonly Filter[]
  readonly order: readonly OrderTerm[]
  readonly limit: string | undefined
  readonly offset: string | undefined
}

/** The same of an embedded relation, whose names from the outermost on are `path`. */
export interface EmbeddedQuery extends RowsQuery {
  readonly path: readonly string[]
}

/** Everything that a query string says. */
export interface DataQuery extends RowsQuery {
  readonly select: readonly SelectItem[]
  readonly embedded: readonly EmbeddedQuery[]
  readonly columns: readonly string[] | undefined
  readonly onConflict: readonly string[] | undefined
}
