// The foreign keys of a relation as supabase-js reads them, by the rules that embeds follow. Pure.

import type { KeyRelationship } from '../data-api/catalog/relationship.ts'
import { Relationships } from '../data-api/catalog/relationships.ts'
import type { DatabaseFacts, RelationFact } from './type-facts.ts'

export interface TypedRelationship {
  readonly foreignKeyName: string
  readonly columns: readonly string[]
  readonly isOneToOne: boolean
  readonly referencedRelation: string
  readonly referencedColumns: readonly string[]
}

/** Answers the relationships of a relation, all to relations of its own schema, in the order of their names. */
export function relationshipsOf(facts: DatabaseFacts): (relation: RelationFact) => TypedRelationship[] {
  const relationships = new Relationships(facts.relationships, () => [])
  return relation => inOrderOfNames(relationships.keysOf(relation).map(typed))
}

function typed({ constraint, cardinality, target, pairs }: KeyRelationship): TypedRelationship {
  return {
    foreignKeyName: constraint,
    columns: pairs.map(([here]) => here),
    isOneToOne: cardinality === 'one-to-one',
    referencedRelation: target.name,
    referencedColumns: pairs.map(([, there]) => there),
  }
}

function inOrderOfNames(found: readonly TypedRelationship[]): TypedRelationship[] {
  const orderOf = ({ foreignKeyName, referencedRelation, columns, referencedColumns }: TypedRelationship) =>
    JSON.stringify([foreignKeyName, referencedRelation, columns, referencedColumns])
  const byOrder = new Map(found.map(each => [orderOf(each), each]))
  return [...byOrder.keys()].sort().flatMap(order => byOrder.get(order) ?? [])
}
