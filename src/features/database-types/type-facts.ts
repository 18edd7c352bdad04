// What the types of a database are written from: relations, functions and types of the exposed schemas, as the catalog
// has them. Types only. An `oid` is a number as text. Names of other schemas stand here too; the writer tells none.

import type { QualifiedName } from '../../db/sql.ts'
import type { RelationshipFacts } from '../data-api/catalog/relationship-facts.ts'

export interface DatabaseFacts {
  readonly relations: readonly RelationFact[]
  readonly functions: readonly FunctionFact[]
  /** Those of the exposed schemas, and all that columns, arguments and results are made of. */
  readonly types: readonly TypeFact[]
  /** Of the relations, and of the tables that views show, wherever these are. */
  readonly relationships: RelationshipFacts
}

export interface RelationFact extends QualifiedName {
  readonly oid: string
  /** A view or a materialized view. */
  readonly isView: boolean
  /** Bits of `pg_relation_is_updatable`, with triggers counted in. */
  readonly changes: number
  /** The same without them. */
  readonly ownChanges: number
  readonly columns: readonly ColumnFact[]
}

export interface ColumnFact {
  readonly name: string
  /** Oid of its type. */
  readonly type: string
  readonly notNull: boolean
  readonly hasDefault: boolean
  /** `a`: Postgres alone gives the value; `d`: it does where none is sent. */
  readonly identity: '' | 'a' | 'd'
  /** Computed from the row's other columns. */
  readonly isGenerated: boolean
  /** Of a view: whether a write reaches it. */
  readonly isUpdatable: boolean
}

export interface FunctionFact extends QualifiedName {
  /** Of all arguments, results among them; null where none has a name. */
  readonly argumentNames: readonly string[] | null
  /** Letters as in `pg_proc`; null where all are inputs. */
  readonly argumentModes: readonly string[] | null
  readonly argumentTypes: readonly string[]
  /** How many of the last inputs have a default. */
  readonly defaults: number
  readonly returns: string
  readonly returnsSet: boolean
  /** Rows that the planner expects; 0 for one value. */
  readonly rows: number
}

export interface TypeFact extends QualifiedName {
  readonly oid: string
  /** As `pg_type.typtype`: base, composite, domain, enum, pseudo, range, multirange. */
  readonly kind: 'b' | 'c' | 'd' | 'e' | 'p' | 'r' | 'm'
  /** Of an array, else null. */
  readonly element: string | null
  /** Of a domain, else null. */
  readonly base: string | null
  /** A domain that refuses null. */
  readonly notNull: boolean
  readonly labels: readonly string[] | null
  /** Of a row type: oid of its relation; of a composite type too. */
  readonly relation: string | null
  /** Of a composite type that belongs to no table or view, in their order. */
  readonly attributes: readonly AttributeFact[] | null
}

export interface AttributeFact {
  readonly name: string
  readonly type: string
}
