// How the rows of two relations belong together: by a foreign key in either direction, by a junction of two, or by a
// function that a user wrote for it. Pure. PostgREST's rules (shared semantics, section 14), made of the facts when a
// request asks, for the relation that it names: all of them at once would be the square of what there is.

import type { QualifiedName } from '../../../db/sql.ts'
import {
  type Cardinality,
  type ColumnPair,
  type ComputedRelationship,
  idOf,
  isSame,
  type JunctionRelationship,
  type KeyRelationship,
  type Relationship,
} from './relationship.ts'
import type {
  ForeignKey,
  RelationshipFacts,
  RelationshipFunction,
  Reliance,
  TableId,
  ViewColumns,
} from './relationship-facts.ts'

/**
 * Most relationships of one relation through junctions. Views that show a key's columns in many ways multiply: three of
 * twenty ways a side would make a million, of which none is the one that is meant.
 */
const JUNCTIONS_MAX = 5_000

/** Where the rows of each relation lead. */
export class Relationships {
  readonly #schemas: ReadonlySet<string>
  readonly #relationshipFunctions: readonly RelationshipFunction[]
  readonly #primaryKeyOf: (relation: QualifiedName) => readonly string[]
  readonly #keysFromTable: ReadonlyMap<string, readonly ForeignKey[]>
  readonly #keysToTable: ReadonlyMap<string, readonly ForeignKey[]>
  readonly #viewsOfTable: ReadonlyMap<string, readonly ViewColumns[]>
  /** By name, as `idOf` writes it; so are the relationships found. */
  readonly #views: ReadonlyMap<string, ViewColumns>
  readonly #tables: ReadonlyMap<string, TableId>
  readonly #found = new Map<string, readonly Relationship[]>()

  constructor(facts: RelationshipFacts, primaryKeyOf: (relation: QualifiedName) => readonly string[]) {
    this.#schemas = new Set(facts.schemas)
    this.#relationshipFunctions = facts.relationshipFunctions
    this.#views = byName(facts.views)
    this.#primaryKeyOf = primaryKeyOf
    this.#keysFromTable = Map.groupBy(facts.foreignKeys, ({ table }) => table.oid)
    this.#keysToTable = Map.groupBy(facts.foreignKeys, ({ referencedTable }) => referencedTable.oid)
    const shown = facts.views.flatMap(view => [...tablesOf(view)].map(oid => ({ oid, view })))
    const byTable = Map.groupBy(shown, ({ oid }) => oid)
    this.#viewsOfTable = new Map(Array.from(byTable, ([oid, all]) => [oid, all.map(({ view }) => view)]))
    this.#tables = byName(facts.foreignKeys.flatMap(key => [key.table, key.referencedTable]))
  }

  /** Foreign keys of the tables with these oids, in the order of their oids, as a text that changes with them. */
  keysVersion(tableOids: readonly string[]): string {
    return tableOids
      .flatMap(oid => this.#keysFromTable.get(oid) ?? [])
      .map(({ version }) => version)
      .sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))
      .join(',')
  }

  /**
   * All from a relation to relations of its schema, and by functions to those of other exposed ones. A table that is
   * not exposed is neither end nor junction, even if the caller may read it.
   */
  from(origin: QualifiedName): readonly Relationship[] {
    const id = idOf(origin)
    const known = this.#found.get(id) ?? this.#make(origin)
    this.#found.set(id, known)
    return known
  }

  /** The foreign keys of a table, or of a view those that it shows whole, to each relation of its schema. */
  keysOf(origin: QualifiedName): KeyRelationship[] {
    return this.#manyToOne(origin).filter(({ target }) => target.schema === origin.schema)
  }

  #make(origin: QualifiedName): Relationship[] {
    const computed = this.#computedFrom(origin)
    // A function of a relation's name takes the place of what the keys say about it.
    const isReplaced = ({ target }: Relationship) =>
      computed.some(({ function: { name } }) => name === target.name)
    const found = [
      ...this.#manyToOne(origin),
      ...this.#oneToMany(origin),
      ...firstOf(JUNCTIONS_MAX, this.#manyToMany(origin)),
    ]
    const here = found.filter(({ target }) => target.schema === origin.schema)
    return [...computed, ...here.filter(each => !isReplaced(each))]
  }

  #computedFrom(origin: QualifiedName): ComputedRelationship[] {
    return this.#relationshipFunctions
      .filter(({ schema, argument }) => schema === origin.schema && isSame(argument, origin))
      .filter(({ result }) => this.#schemas.has(result.schema))
      .map(each => ({
        kind: 'computed',
        origin,
        target: each.result,
        cardinality: each.returnsOne ? 'many-to-one' : 'one-to-many',
        function: { schema: each.schema, name: each.name },
        reliesOn: { tableOids: [], views: [], relationshipFunctions: [each] },
      }))
  }

  #manyToOne(origin: QualifiedName): KeyRelationship[] {
    return this.#keysFrom(origin).flatMap(({ key, here }) =>
      this.#showing(key.referencedTable, key.referencedColumns).map(there =>
        keyRelationship(
          key,
          here,
          there,
          pairs(here.columns, there.columns),
          key.oneToOne ? 'one-to-one' : 'many-to-one',
        ),
      ),
    )
  }

  #oneToMany(origin: QualifiedName): KeyRelationship[] {
    return this.#keysTo(origin).flatMap(({ key, here }) =>
      this.#showing(key.table, key.columns).map(there =>
        keyRelationship(
          key,
          here,
          there,
          pairs(here.columns, there.columns),
          key.oneToOne ? 'one-to-one' : 'one-to-many',
        ),
      ),
    )
  }

  /** By two keys of one junction whose columns are all in its primary key. */
  *#manyToMany(origin: QualifiedName): Generator<JunctionRelationship> {
    for (const { key, here } of this.#keysTo(origin)) {
      if (key.oneToOne) continue
      for (const junction of this.#showing(key.table, key.columns)) {
        for (const other of this.#keysFrom(junction.relation)) {
          if (other.key.name === key.name || other.key.oneToOne) continue
          if (!this.#areOfKey(junction.relation, [...junction.columns, ...other.here.columns])) continue
          for (const there of this.#showing(other.key.referencedTable, other.key.referencedColumns)) {
            yield {
              kind: 'junction',
              origin,
              target: there.relation,
              cardinality: 'many-to-many',
              junction: junction.relation,
              constraints: [key.name, other.key.name],
              originPairs: pairs(here.columns, junction.columns),
              targetPairs: pairs(there.columns, other.here.columns),
              reliesOn: relianceOf([key, other.key], [here, junction, there]),
            }
          }
        }
      }
    }
  }

  #areOfKey(relation: QualifiedName, columns: readonly string[]): boolean {
    const view = this.#views.get(idOf(relation))
    const primaryKey = view?.keyColumns ?? this.#primaryKeyOf(relation)
    return columns.every(column => primaryKey.includes(column))
  }

  /** The keys of a relation, or of the tables that it shows, each once for every way in which it shows its columns. */
  #keysFrom(relation: QualifiedName): KeyShown[] {
    return this.#basesOf(relation)
      .flatMap(oid => this.#keysFromTable.get(oid) ?? [])
      .flatMap(key => this.#showing(key.table, key.columns, relation).map(here => ({ key, here })))
  }

  /** The same for the keys that refer to it. */
  #keysTo(relation: QualifiedName): KeyShown[] {
    return this.#basesOf(relation)
      .flatMap(oid => this.#keysToTable.get(oid) ?? [])
      .flatMap(key =>
        this.#showing(key.referencedTable, key.referencedColumns, relation).map(here => ({ key, here })),
      )
  }

  /** Oids of the tables that a relation shows: itself, or those under a view. */
  #basesOf(relation: QualifiedName): string[] {
    const view = this.#views.get(idOf(relation))
    if (view) return [...tablesOf(view)]
    const table = this.#tables.get(idOf(relation))
    return table ? [table.oid] : []
  }

  /** The exposed relations that show these columns of a table, itself among them, or `only` one of these. */
  #showing(table: TableId, columns: readonly string[], only?: QualifiedName): Showing[] {
    const itself = { relation: { schema: table.schema, name: table.name }, columns, view: undefined }
    const views = (this.#viewsOfTable.get(table.oid) ?? []).filter(
      view => only === undefined || isSame(view, only),
    )
    const shown = views.flatMap(view => {
      const names = columns.map(column =>
        view.columns
          .filter(each => each.tableOid === table.oid && each.tableColumn === column)
          .map(({ name }) => name),
      )
      const relation = { schema: view.schema, name: view.name }
      return combinations(names).map(each => ({ relation, columns: each, view }))
    })
    const isShown = this.#schemas.has(table.schema) && (only === undefined || isSame(table, only))
    return isShown ? [itself, ...shown] : shown
  }
}

function firstOf<T>(count: number, all: Iterable<T>): T[] {
  const found: T[] = []
  for (const each of all) {
    if (found.length === count) break
    found.push(each)
  }
  return found
}

function tablesOf(view: ViewColumns): Set<string> {
  return new Set(view.columns.map(({ tableOid }) => tableOid))
}

interface Showing {
  readonly relation: QualifiedName
  /** In the order of the columns asked for, as the relation calls them. */
  readonly columns: readonly string[]
  readonly view: ViewColumns | undefined
}

interface KeyShown {
  readonly key: ForeignKey
  readonly here: Showing
}

function keyRelationship(
  key: ForeignKey,
  here: Showing,
  there: Showing,
  pairs: readonly ColumnPair[],
  cardinality: Cardinality,
): KeyRelationship {
  return {
    kind: 'key',
    origin: here.relation,
    target: there.relation,
    cardinality,
    constraint: key.name,
    pairs,
    targetIsView: there.view !== undefined,
    reliesOn: relianceOf([key], [here, there]),
  }
}

function relianceOf(keys: readonly ForeignKey[], shown: readonly Showing[]): Reliance {
  const tables = keys.flatMap(({ table, referencedTable }) => [table.oid, referencedTable.oid])
  return {
    tableOids: tables,
    views: shown.flatMap(({ view }) => (view ? [view] : [])),
    relationshipFunctions: [],
  }
}

function pairs(here: readonly string[], there: readonly string[]): ColumnPair[] {
  return here.map((column, i) => [column, there[i] ?? ''])
}

/** Most ways of one view to show the columns of a key that are told apart. */
const COMBINATIONS_MAX = 20

/** One of each list, in every way. */
function combinations(lists: readonly (readonly string[])[]): string[][] {
  let found: string[][] = [[]]
  for (const list of lists) {
    found = found.flatMap(start => list.map(name => [...start, name])).slice(0, COMBINATIONS_MAX)
  }
  return found
}

function byName<T extends QualifiedName>(all: readonly T[]): ReadonlyMap<string, T> {
  return new Map(all.map(each => [idOf(each), each]))
}
