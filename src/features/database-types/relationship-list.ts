// The foreign keys of a relation as supabase-js reads them: of a view those that it shows whole, and to each view that
// shows the referred columns. Pure. PostgREST embeds by the same rules.

import type { DatabaseFacts, ForeignKeyFact, RelationFact, TableId, ViewColumnFact } from './type-facts.ts'

export interface TypedRelationship {
  readonly foreignKeyName: string
  readonly columns: readonly string[]
  readonly isOneToOne: boolean
  readonly referencedRelation: string
  readonly referencedColumns: readonly string[]
}

/** A table, or a view, with the columns that stand for those of a key. */
interface Showing {
  readonly name: string
  readonly columns: readonly string[]
}

/** Most ways of one view to show the columns of a key. */
const COMBINATIONS_MAX = 20

/** Answers the relationships of a relation, all to relations of its own schema, in the order of their names. */
export function relationshipsOf(facts: DatabaseFacts): (relation: RelationFact) => TypedRelationship[] {
  const keysOfTable = Map.groupBy(facts.foreignKeys, ({ table }) => table.oid)
  const columnsOfView = Map.groupBy(facts.viewColumns, ({ view }) => view)
  const viewsOfTable = Map.groupBy(facts.viewColumns, ({ tableOid }) => tableOid)
  const relations = new Map(facts.relations.map(relation => [relation.oid, relation]))

  /** The ways in which a view shows these columns; none where one is not in it. */
  const waysOf = (view: RelationFact, table: TableId, columns: readonly string[]): Showing[] => {
    const shown = (columnsOfView.get(view.oid) ?? []).filter(({ tableOid }) => tableOid === table.oid)
    return combinations(columns.map(column => namesOf(shown, column))).map(names => ({
      name: view.name,
      columns: names,
    }))
  }
  const viewsOf = (table: TableId, schema: string) =>
    [...new Set((viewsOfTable.get(table.oid) ?? []).map(({ view }) => view))].flatMap(oid => {
      const view = relations.get(oid)
      return view?.schema === schema ? [view] : []
    })
  const referredTo = (
    { referencedTable: table, referencedColumns: columns }: ForeignKeyFact,
    schema: string,
  ) => [
    ...(table.schema === schema ? [{ name: table.name, columns }] : []),
    ...viewsOf(table, schema).flatMap(view => waysOf(view, table, columns)),
  ]
  return relation => {
    const tables = new Set((columnsOfView.get(relation.oid) ?? []).map(({ tableOid }) => tableOid))
    const keys = [relation.oid, ...tables].flatMap(oid => keysOfTable.get(oid) ?? [])
    const found = keys.flatMap(foreignKey => {
      const { table, columns } = foreignKey
      const here =
        table.oid === relation.oid ? [{ name: relation.name, columns }] : waysOf(relation, table, columns)
      const there = referredTo(foreignKey, relation.schema)
      return here.flatMap(from => there.map(to => typed(foreignKey, from, to)))
    })
    return inOrderOfNames(found)
  }
}

function typed(foreignKey: ForeignKeyFact, from: Showing, to: Showing): TypedRelationship {
  return {
    foreignKeyName: foreignKey.name,
    columns: from.columns,
    isOneToOne: foreignKey.oneToOne,
    referencedRelation: to.name,
    referencedColumns: to.columns,
  }
}

function namesOf(shown: readonly ViewColumnFact[], column: string): string[] {
  return shown
    .filter(({ tableColumn }) => tableColumn === column)
    .map(({ name }) => name)
    .sort()
}

/** One of each list, in every way. */
function combinations(lists: readonly (readonly string[])[]): string[][] {
  let found: string[][] = [[]]
  for (const list of lists) {
    found = found.flatMap(start => list.map(name => [...start, name])).slice(0, COMBINATIONS_MAX)
  }
  return found
}

function inOrderOfNames(found: readonly TypedRelationship[]): TypedRelationship[] {
  const orderOf = ({ foreignKeyName, referencedRelation, columns, referencedColumns }: TypedRelationship) =>
    JSON.stringify([foreignKeyName, referencedRelation, columns, referencedColumns])
  const byOrder = new Map(found.map(each => [orderOf(each), each]))
  return [...byOrder.keys()].sort().flatMap(order => byOrder.get(order) ?? [])
}
