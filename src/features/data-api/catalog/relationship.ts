// One way in which the rows of two relations belong together. Pure.

import type { QualifiedName } from '../../../db/sql.ts'
import type { Reliance } from './relationship-facts.ts'

export type Cardinality = 'many-to-one' | 'one-to-one' | 'one-to-many' | 'many-to-many'

/** A column here, and the one that it equals there. */
export type ColumnPair = readonly [here: string, there: string]

interface Related {
  readonly origin: QualifiedName
  readonly target: QualifiedName
  readonly cardinality: Cardinality
  readonly reliesOn: Reliance
}

export interface KeyRelationship extends Related {
  readonly kind: 'key'
  readonly constraint: string
  /** Of the origin, and of the target. */
  readonly pairs: readonly ColumnPair[]
  readonly targetIsView: boolean
}

export interface JunctionRelationship extends Related {
  readonly kind: 'junction'
  readonly junction: QualifiedName
  readonly constraints: readonly [ofOrigin: string, ofTarget: string]
  /** Of the origin, and of the junction. */
  readonly originPairs: readonly ColumnPair[]
  /** Of the target, and of the junction. */
  readonly targetPairs: readonly ColumnPair[]
}

export interface ComputedRelationship extends Related {
  readonly kind: 'computed'
  readonly function: QualifiedName
}

export type Relationship = KeyRelationship | JunctionRelationship | ComputedRelationship

/** True for a relationship that leads to one row at most. */
export function leadsToOne({ cardinality }: Relationship): boolean {
  return cardinality === 'many-to-one' || cardinality === 'one-to-one'
}

export function isSame(a: QualifiedName, b: QualifiedName): boolean {
  return a.name === b.name && a.schema === b.schema
}

/** One text for a qualified name, which has no NUL. */
export function idOf({ schema, name }: QualifiedName): string {
  return `${schema}\0${name}`
}
