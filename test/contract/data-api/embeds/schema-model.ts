// What a random schema is made of, and which requests for a related relation its keys allow.

export type ColumnType = 'int' | 'text' | 'boolean' | 'jsonb'

export interface Column {
  readonly name: string
  readonly type: ColumnType
  /** The column of a table that it is or shows; undefined where it is computed. */
  readonly of: { readonly table: string; readonly column: string } | undefined
}

export interface Relation {
  readonly name: string
  readonly columns: readonly Column[]
  /** Columns by which an order is total; undefined where there are none. */
  readonly key: readonly string[] | undefined
  readonly isView: boolean
}

export interface Key {
  readonly name: string
  readonly table: string
  readonly columns: readonly string[]
  readonly references: string
  readonly referenced: readonly string[]
  readonly isOneToOne: boolean
}

/** A function from a row of `from` to rows of `to`. */
export interface RelationshipFunction {
  readonly name: string
  readonly from: string
  readonly to: string
  readonly isOne: boolean
}

export interface Schema {
  readonly relations: readonly Relation[]
  readonly keys: readonly Key[]
  readonly functions: readonly RelationshipFunction[]
  /** Makes and fills it. `$` stands for the schema's name. */
  readonly sql: string
}

/** How `select` may name a relation, and what it leads to. */
export interface Way {
  readonly name: string
  readonly hint: string | undefined
  readonly target: Relation
  readonly isOne: boolean
}

interface Related {
  readonly target: Relation
  readonly kind: 'to-one' | 'to-many' | 'one-to-one' | 'junction' | 'function'
  readonly isSelf: boolean
  /** The constraint, the junction or the function. */
  readonly by: string
  readonly here: readonly string[]
  readonly there: readonly string[]
}

/** The names that mean exactly one relationship, and those that mean several. */
export function waysFrom(schema: Schema, origin: Relation): { clear: Way[]; ambiguous: Way[] } {
  const all = relatedTo(schema, origin)
  const sought = new Map(all.flatMap(each => namesOf(each)).map(each => [JSON.stringify(each), each]))
  const clear: Way[] = []
  const ambiguous: Way[] = []
  for (const [name, hint] of sought.values()) {
    const found = all.filter(each => fits(each, name, hint))
    const [first] = found
    if (first === undefined) continue
    const isOne = first.kind === 'to-one' || first.kind === 'one-to-one' || isSingle(schema, first)
    const way = { name, hint, target: first.target, isOne }
    if (found.length === 1) clear.push(way)
    else ambiguous.push(way)
  }
  return { clear, ambiguous }
}

function isSingle(schema: Schema, { kind, by }: Related): boolean {
  return kind === 'function' && schema.functions.some(({ name, isOne }) => name === by && isOne)
}

function relatedTo(schema: Schema, origin: Relation): Related[] {
  const functions = schema.functions.filter(({ from }) => from === origin.name)
  const computed = functions.flatMap(({ name, to }): Related[] =>
    schema.relations
      .filter(each => each.name === to)
      .map(target => ({ target, kind: 'function', isSelf: false, by: name, here: [], there: [] })),
  )
  const replaced = (each: Related) => functions.some(({ name }) => name === each.target.name)
  const byKeys = schema.keys.flatMap(key => [...keyFrom(schema, key, origin), ...keyTo(schema, key, origin)])
  return [...computed, ...[...byKeys, ...throughJunctions(schema, origin)].filter(each => !replaced(each))]
}

function keyFrom(schema: Schema, key: Key, origin: Relation): Related[] {
  return showings([origin], key.table, key.columns).flatMap(({ columns: here }) =>
    showings(schema.relations, key.references, key.referenced).map(({ relation, columns }) => ({
      target: relation,
      kind: key.isOneToOne ? 'one-to-one' : 'to-one',
      isSelf: relation === origin,
      by: key.name,
      here,
      there: columns,
    })),
  )
}

function keyTo(schema: Schema, key: Key, origin: Relation): Related[] {
  return showings([origin], key.references, key.referenced).flatMap(({ columns: here }) =>
    showings(schema.relations, key.table, key.columns).map(({ relation, columns }) => ({
      target: relation,
      kind: key.isOneToOne ? 'one-to-one' : 'to-many',
      isSelf: relation === origin,
      by: key.name,
      here,
      there: columns,
    })),
  )
}

function throughJunctions(schema: Schema, origin: Relation): Related[] {
  return schema.keys
    .filter(({ isOneToOne }) => !isOneToOne)
    .flatMap(key =>
      keyTo(schema, key, origin).flatMap(({ target: junction, here, there: inJunction }) =>
        schema.keys
          .filter(other => other.table === key.table && other.name !== key.name && !other.isOneToOne)
          .flatMap(other => keyFrom(schema, other, junction))
          .filter(second => [...inJunction, ...second.here].every(name => junction.key?.includes(name)))
          .map(({ target, there }) => ({
            target,
            kind: 'junction' as const,
            isSelf: target === origin,
            by: junction.name,
            here,
            there,
          })),
      ),
    )
}

function showings(relations: readonly Relation[], table: string, columns: readonly string[]) {
  return relations.flatMap(relation => {
    let lists: string[][] = [[]]
    for (const column of columns) {
      const names = relation.columns
        .filter(({ of }) => of?.table === table && of.column === column)
        .map(({ name }) => name)
      lists = lists.flatMap(list => names.map(name => [...list, name]))
    }
    return lists.map(names => ({ relation, columns: names }))
  })
}

function namesOf({ target, kind, by, here, there }: Related): [name: string, hint: string | undefined][] {
  if (kind === 'function') return [[by, undefined]]
  const names = [target.name, ...(kind === 'junction' ? [] : [by, ...here.slice(1), ...here.slice(0, 1)])]
  const hints = kind === 'junction' ? [by] : [by, ...here, ...there]
  return [
    ...names.map((name): [string, undefined] => [name, undefined]),
    ...hints.map((hint): [string, string] => [target.name, hint]),
  ]
}

function fits({ target, kind, isSelf, by, here, there }: Related, name: string, hint?: string): boolean {
  if (kind === 'function') return by === name
  const column = here.length === 1 ? here[0] : undefined
  if (isSelf) {
    if (hint !== undefined) return kind === 'to-many' && name === target.name && there[0] === hint
    return (kind === 'to-many' && name === target.name) || (kind === 'to-one' && column === name)
  }
  if (hint === undefined) {
    if (name === target.name) return true
    return kind !== 'junction' && !target.isView && (by === name || column === name)
  }
  if (name !== target.name) return false
  return (
    by === hint || (kind !== 'junction' && (column === hint || (there.length === 1 && there[0] === hint)))
  )
}
