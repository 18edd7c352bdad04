// Which TypeScript type the values of a Postgres type have, as JSON carries them. Pure. The choices are Supabase's own
// generator's: what it does not know is `unknown`.

import type { DatabaseFacts, RelationFact, TypeFact } from './type-facts.ts'
import { arrayOf, literal, union } from './type-syntax.ts'

const OF_BASE_TYPES: ReadonlyMap<string, string> = new Map([
  ['bool', 'boolean'],
  ...['int2', 'int4', 'int8', 'float4', 'float8', 'numeric'].map(name => [name, 'number'] as const),
  ...['text', 'varchar', 'bpchar', 'citext', 'uuid', 'bytea', 'vector'].map(
    name => [name, 'string'] as const,
  ),
  ...['date', 'time', 'timetz', 'timestamp', 'timestamptz', 'interval'].map(
    name => [name, 'string'] as const,
  ),
  ['json', 'Json'],
  ['jsonb', 'Json'],
  ['void', 'undefined'],
  ['record', 'Record<string, unknown>'],
])

/** What is known of the types of a database, by oid. */
export interface TypeNames {
  /** As TypeScript; of what is in no exposed schema without a name of it. */
  readonly of: (oid: string) => string
  /** A domain that takes no null, whatever its column says. */
  readonly refusesNull: (oid: string) => boolean
  /** The exposed table or view whose rows it is. */
  readonly relationOf: (oid: string) => RelationFact | undefined
  /** As the catalog has it. */
  readonly fact: (oid: string) => TypeFact | undefined
  readonly isExposed: (type: TypeFact) => boolean
}

export function typeNames(facts: DatabaseFacts, schemas: readonly string[]): TypeNames {
  const types = new Map(facts.types.map(type => [type.oid, type]))
  const relations = new Map(facts.relations.map(relation => [relation.oid, relation]))
  const exposed = new Set(schemas)
  const isExposed = ({ schema }: TypeFact) => exposed.has(schema)
  const fact = (oid: string) => types.get(oid)
  const relationOf = (oid: string) => relations.get(fact(oid)?.relation ?? '')
  const of = (oid: string): string => {
    const type = fact(oid)
    if (type === undefined) return 'unknown'
    if (type.base !== null) return of(type.base)
    if (type.element !== null) return arrayOf(of(type.element))
    if (type.kind === 'e') return enumName(type, isExposed(type))
    if (type.kind === 'c') return rowName(type, relationOf(oid), isExposed(type))
    return OF_BASE_TYPES.get(type.name) ?? 'unknown'
  }
  const refusesNull = (oid: string): boolean => {
    const type = fact(oid)
    return type !== undefined && (type.notNull || (type.base !== null && refusesNull(type.base)))
  }
  return { of, refusesNull, relationOf, fact, isExposed }
}

const place = (schema: string, part: string, name: string) =>
  `Database[${literal(schema)}][${literal(part)}][${literal(name)}]`

/** Of an enum elsewhere with more labels none are written: each of its columns would have them all. */
const LABELS_MAX = 100

/** The labels are in the rows; the name of a type elsewhere is not. */
function enumName({ schema, name, labels }: TypeFact, isExposed: boolean): string {
  if (isExposed) return place(schema, 'Enums', name)
  return labels === null || labels.length > LABELS_MAX ? 'string' : union(labels.map(literal))
}

function rowName(
  { schema, name, attributes }: TypeFact,
  relation: RelationFact | undefined,
  isExposed: boolean,
): string {
  if (relation) return `${place(relation.schema, relation.isView ? 'Views' : 'Tables', relation.name)}["Row"]`
  return isExposed && attributes !== null ? place(schema, 'CompositeTypes', name) : 'unknown'
}
