// The rows of tables and views as supabase-js reads them: what comes, what is inserted, and what is updated. Pure.

import { changesOf } from '../data-api/catalog/catalog-sql.ts'
import { type FunctionShape, isFieldOf } from './function-shape.ts'
import type { TypedRelationship } from './relationship-list.ts'
import type { ColumnFact, RelationFact } from './type-facts.ts'
import type { TypeNames } from './type-names.ts'
import { block, inOrder, key, literal, nullable, tuple, union } from './type-syntax.ts'

export interface RelationParts {
  readonly relationships: readonly TypedRelationship[]
  /** Functions of the same schema. */
  readonly functions: readonly FunctionShape[]
}

/** A property by the relation's name. */
export function relationText(relation: RelationFact, parts: RelationParts, names: TypeNames): string {
  const computed = inOrder(
    parts.functions.filter(shape => isFieldOf(relation, shape, names)),
    ({ fact }) => fact.name,
  )
  const fields = computed.map(
    shape => `${key(shape.fact.name)}: ${nullable(valueText(shape.fact.returns, names))}`,
  )
  return `${key(relation.name)}: ${block([
    `Row: ${block([...rowFields(relation, names), ...fields])}`,
    ...writtenParts(relation, names),
    `Relationships: ${tuple(parts.relationships.map(relationshipText))}`,
    ...(computed.length > 0
      ? [`ComputedFields: ${union(computed.map(({ fact }) => literal(fact.name)))}`]
      : []),
  ])}`
}

/** A row of it as it comes, without computed fields. */
function rowFields(relation: RelationFact, names: TypeNames): string[] {
  return columnsOf(relation).map(column => `${key(column.name)}: ${typeOf(column, names)}`)
}

/** The values of a type; rows of a table or a view with their columns. */
export function valueText(type: string, names: TypeNames): string {
  const relation = names.relationOf(type)
  return relation ? block(rowFields(relation, names)) : names.of(type)
}

function columnsOf({ columns }: RelationFact): ColumnFact[] {
  return inOrder(columns, ({ name }) => name)
}

function typeOf(column: ColumnFact, names: TypeNames): string {
  const type = names.of(column.type)
  return isNullable(column, names) ? nullable(type) : type
}

function isNullable({ notNull, type }: ColumnFact, names: TypeNames): boolean {
  return !notNull && !names.refusesNull(type)
}

/** What may be sent: of a table both ways, of a view those that it takes. */
function writtenParts(relation: RelationFact, names: TypeNames): string[] {
  if (!relation.isView) {
    const fields = (isOptional: (column: ColumnFact) => boolean) =>
      columnsOf(relation).map(column => tableField(column, names, isOptional(column)))
    return [
      `Insert: ${block(fields(column => isNullable(column, names) || isGivenValue(column)))}`,
      `Update: ${block(fields(() => true))}`,
    ]
  }
  const [own, all] = [changesOf(relation.ownChanges), changesOf(relation.changes)]
  return VIEW_PARTS.filter(([method]) => all.includes(method)).map(([method, part]) => {
    // A trigger gets the whole row, whatever the view's query is.
    const isByTrigger = !own.includes(method)
    const fields = columnsOf(relation).map(column => viewField(column, names, isByTrigger))
    return `${part}: ${block(fields)}`
  })
}

const VIEW_PARTS = [
  ['POST', 'Insert'],
  ['PATCH', 'Update'],
] as const

function tableField(column: ColumnFact, names: TypeNames, isOptional: boolean): string {
  const isOfPostgres = column.identity === 'a' || column.isGenerated
  if (isOfPostgres) return `${key(column.name)}?: never`
  return `${key(column.name)}${isOptional ? '?' : ''}: ${typeOf(column, names)}`
}

/** What is below a view decides what it needs, and no column says so. */
function viewField(column: ColumnFact, names: TypeNames, isByTrigger: boolean): string {
  const isWritten = column.isUpdatable || isByTrigger
  return `${key(column.name)}?: ${isWritten ? nullable(names.of(column.type)) : 'never'}`
}

function isGivenValue({ hasDefault, identity }: ColumnFact): boolean {
  return hasDefault || identity !== ''
}

function relationshipText(relationship: TypedRelationship): string {
  const list = (columns: readonly string[]) => `[${columns.map(literal).join(', ')}]`
  return block([
    `foreignKeyName: ${literal(relationship.foreignKeyName)}`,
    `columns: ${list(relationship.columns)}`,
    `isOneToOne: ${relationship.isOneToOne}`,
    `referencedRelation: ${literal(relationship.referencedRelation)}`,
    `referencedColumns: ${list(relationship.referencedColumns)}`,
  ])
}
