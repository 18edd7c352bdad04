// Facts for the tests of the types' writer, each with what a test says of it.

import type {
  ForeignKey,
  RelationshipFacts,
} from '../../../src/features/data-api/catalog/relationship-facts.ts'
import type {
  ColumnFact,
  DatabaseFacts,
  FunctionFact,
  RelationFact,
  TypeFact,
} from '../../../src/features/database-types/type-facts.ts'

/** Oids of base types are their names here. */
export const BASE_TYPES = ['int4', 'int8', 'text', 'bool', 'jsonb', 'tsvector', 'void', 'record']

export function typeFact(name: string, more: Partial<TypeFact> = {}): TypeFact {
  const none = { element: null, base: null, notNull: false, labels: null, relation: null, attributes: null }
  return { oid: name, schema: 'pg_catalog', name, kind: 'b', ...none, ...more }
}

export function column(name: string, type = 'text', more: Partial<ColumnFact> = {}): ColumnFact {
  const none = {
    notNull: false,
    hasDefault: false,
    identity: '',
    isGenerated: false,
    isUpdatable: false,
  } as const
  return { name, type, ...none, ...more }
}

/** A table of `public`; its rows are of the type `NAME rows`. */
export function table(
  name: string,
  columns: readonly ColumnFact[],
  more: Partial<RelationFact> = {},
): RelationFact {
  return { oid: name, schema: 'public', name, isView: false, changes: 28, ownChanges: 28, columns, ...more }
}

export function rowType({ oid, schema, name }: RelationFact): TypeFact {
  return typeFact(name, { oid: `${oid} rows`, schema, kind: 'c', relation: oid })
}

/** A function of `public`; inputs alone, by name and type. */
export function fn(
  name: string,
  inputs: readonly (readonly [name: string, type: string])[],
  returns: string,
  more: Partial<FunctionFact> = {},
): FunctionFact {
  return {
    schema: 'public',
    name,
    argumentNames: inputs.map(([input]) => input),
    argumentModes: null,
    argumentTypes: inputs.map(([, type]) => type),
    defaults: 0,
    returns,
    returnsSet: false,
    rows: 0,
    ...more,
  }
}

/** From a column of a table to the column `id` of another, both by name. */
export function foreignKey(
  from: RelationFact,
  columnName: string,
  to: RelationFact,
  more: Partial<ForeignKey> = {},
): ForeignKey {
  return {
    name: `${from.name}_${columnName}_fkey`,
    version: '1 1',
    table: from,
    columns: [columnName],
    referencedTable: to,
    referencedColumns: ['id'],
    oneToOne: false,
    ...more,
  }
}

export type Parts = Partial<Omit<DatabaseFacts, 'relationships'> & RelationshipFacts>

/** With the row types of its relations, and base types. */
export function factsOf({ foreignKeys = [], views = [], ...parts }: Parts): DatabaseFacts {
  const { relations = [], types = [] } = parts
  const all = [...types, ...relations.map(rowType), ...BASE_TYPES.map(name => typeFact(name))]
  const relationships = { schemas: ['public', 'shop'], foreignKeys, views, relationshipFunctions: [] }
  return { functions: [], ...parts, relations, types: all, relationships }
}
