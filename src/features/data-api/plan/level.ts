// What a request reads, with all that the catalog knows about it: a tree of levels, each the rows of one relation. SQL
// is made of this alone.

import type { QualifiedName } from '../../../db/sql.ts'
import type { ColumnTypes } from '../catalog/catalog-types.ts'
import type { ColumnPair } from '../catalog/relationship.ts'
import type { Reliance } from '../catalog/relationship-facts.ts'
import type { Page } from '../grammar/page.ts'
import type {
  Aggregate,
  AllColumns,
  Condition,
  Field,
  OrderTerm,
  SelectedCount,
  SelectedField,
} from '../grammar/query-ast.ts'

/** Of rows that are of no table that is known. */
export const UNKNOWN_TYPES: ColumnTypes = () => undefined

/** The rows of one relation, or of a function: which of them, what of each, and in which order. */
export interface Level {
  /** The name that the relation has in the FROM clause, no other's of the tree above it. */
  readonly alias: string
  /** The table or view that it is; undefined for the rows of a function. */
  readonly table: QualifiedName | undefined
  readonly typeOf: ColumnTypes
  readonly items: readonly Item[]
  /** All of them must hold. */
  readonly filters: readonly LevelFilter[]
  readonly order: readonly LevelOrder[]
  /** Undefined for all rows. */
  readonly page: Page | undefined
}

/** The outermost level, with what the whole tree was made of. */
export interface RootLevel extends Level {
  readonly reliesOn: (Reliance & { readonly keysVersion: string }) | undefined
}

/** A relation whose rows belong to each row of the level above. */
export interface Embed {
  readonly link: Link
  readonly level: Level
  /** True: it is one row at most. */
  readonly isOne: boolean
  /** True: rows above without one are left out. */
  readonly isInner: boolean
}

/** How a row of the level above finds its rows. */
export type Link =
  | { readonly kind: 'key'; readonly table: QualifiedName; readonly pairs: readonly ColumnPair[] }
  | {
      readonly kind: 'junction'
      readonly table: QualifiedName
      readonly junction: QualifiedName
      readonly junctionAlias: string
      /** Columns above, and those of the junction. */
      readonly originPairs: readonly ColumnPair[]
      /** Columns of the level, and those of the junction. */
      readonly targetPairs: readonly ColumnPair[]
    }
  | { readonly kind: 'function'; readonly function: QualifiedName; readonly argument: QualifiedName }

/** What of each row comes back. */
export type Item = AllColumns | SelectedField | SelectedCount | PresentItem | EmbedItem | SpreadItem

/** A value that every row has, so that rows can be counted one level up. */
export interface PresentItem {
  readonly kind: 'present'
  readonly name: string
}

/** Rows below as one value: an object or an array. */
export interface EmbedItem {
  readonly kind: 'embed'
  /** Undefined for rows that are joined and not shown. */
  readonly name: string | undefined
  readonly embed: Embed
}

/** Columns of the row below beside those of its own; of several rows each is an array. */
export interface SpreadItem {
  readonly kind: 'spread'
  /** The name that the rows below have in the FROM clause of this level. */
  readonly alias: string
  readonly columns: readonly SpreadColumn[]
  readonly embed: Embed
}

/** An aggregate is over the rows of the level that shows the column. */
export interface SpreadColumn {
  readonly name: string
  /** True for a value of JSON, which has no equality to be grouped by. */
  readonly isJson?: boolean
  readonly aggregate?: Aggregate | undefined
}

export interface LevelTree {
  readonly kind: 'tree'
  readonly operator: 'and' | 'or'
  readonly isNegated: boolean
  readonly filters: readonly LevelFilter[]
}

/** That there are rows below, or with `isNegated` that there are none. */
export interface RelatedCondition {
  readonly kind: 'related'
  readonly isNegated: boolean
  readonly embed: Embed
}

export type LevelFilter = Condition | LevelTree | RelatedCondition

export interface LevelOrder extends Pick<OrderTerm, 'direction' | 'nulls'> {
  readonly field: Field
  /** The one row below whose field it is; undefined for one of the rows themselves. */
  readonly below: EmbedItem | SpreadItem | undefined
}
