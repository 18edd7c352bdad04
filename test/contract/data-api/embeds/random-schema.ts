// Small schemas with every kind of relationship, and a few rows that refer to each other.

import type { Choices } from './choices.ts'
import type { Column, ColumnType, Key, Relation, RelationshipFunction, Schema } from './schema-model.ts'

/** What of it is made one after another. */
interface Draft {
  /** Whose a row may be; empty: rows have no owner. */
  readonly owners: readonly string[]
  readonly relations: Relation[]
  readonly keys: Key[]
  readonly functions: RelationshipFunction[]
  readonly rows: Map<string, Row[]>
  readonly sql: string[]
}

type Value = number | string | boolean | null
type Row = Record<string, Value>

const NAMES = ['films', 'people', 'notes', 'places']
const ROWS_MAX = 6

export function randomSchema(choices: Choices): Schema {
  const draft = randomDraft(choices, [])
  const tables = draft.relations.filter(({ isView }) => !isView)
  const policies = tables.filter(() => choices.chance(20)).map(({ name }) => policySql(choices, name))
  return { ...draft, sql: script(draft, () => true, [...draft.keys.map(keySql), ...draft.sql, ...policies]) }
}

/** The same relations for several readers: in `all` policies hide rows, in the others those rows are not there. */
export interface OwnedSchemas {
  readonly all: Schema
  readonly seenBy: (reader: string) => Schema
}

/** Every row is one reader's, everybody's or nobody's. */
export function randomOwnedSchemas(choices: Choices, readers: readonly string[]): OwnedSchemas {
  const draft = randomDraft(choices, readers)
  const tables = draft.relations.filter(({ isView }) => !isView)
  const policies = tables.map(({ name }) => ownerPolicySql(choices, name))
  // What a row refers to may be hidden, so the keys do not look at the rows that are there.
  const unchecked = draft.keys.map(key => `${keySql(key)} not valid`)
  return {
    all: { ...draft, sql: script(draft, () => true, [...draft.keys.map(keySql), ...draft.sql, ...policies]) },
    seenBy: reader => {
      const isSeen = ({ owner }: Row) => owner === reader || owner === EVERYBODY
      return { ...draft, sql: script(draft, isSeen, [...unchecked, ...draft.sql]) }
    },
  }
}

const EVERYBODY = 'everybody'

function randomDraft(choices: Choices, readers: readonly string[]): Draft {
  const owners = readers.length === 0 ? [] : [...readers, EVERYBODY, 'nobody']
  const draft: Draft = { owners, relations: [], keys: [], functions: [], rows: new Map(), sql: [] }
  const names = NAMES.slice(0, 2 + choices.below(3))
  for (const name of names) addTable(choices, draft, name)
  for (const name of names) addKeys(choices, draft, name)
  if (choices.chance(70)) addJunction(choices, draft, names)
  if (choices.chance(25)) addJunction(choices, draft, names)
  const tables = [...draft.relations]
  for (const name of ['seen', 'shown', 'listed'].slice(0, choices.below(4))) addView(choices, draft, name)
  if (choices.chance(30)) addFunction(choices, draft, tables)
  return draft
}

function script(draft: Draft, isKept: (row: Row) => boolean, after: readonly string[]): string {
  const tables = draft.relations.filter(({ isView }) => !isView).map(table => tableSql(draft, table, isKept))
  const rights = [
    'grant usage on schema $ to anon; grant all on all tables in schema $ to anon',
    'grant execute on all functions in schema $ to anon',
  ]
  return `${[...tables, ...after, ...rights].join(';\n')};`
}

const own = (table: string, name: string, type: ColumnType): Column => ({
  name,
  type,
  of: { table, column: name },
})

function addTable(choices: Choices, { owners, relations, rows }: Draft, name: string): void {
  const key = choices.chance(15) ? ['id', 'k'] : ['id']
  const columns = [
    ...key.map(column => own(name, column, 'int')),
    own(name, 'name', 'text'),
    own(name, 'n', 'int'),
    ...(choices.chance(30) ? [own(name, 'done', 'boolean')] : []),
    ...(choices.chance(30) ? [own(name, 'doc', 'jsonb')] : []),
    ...(owners.length > 0 ? [own(name, 'owner', 'text')] : []),
  ]
  relations.push({ name, columns, key, isView: false })
  const count = choices.chance(8) ? 0 : 1 + choices.below(ROWS_MAX)
  rows.set(
    name,
    Array.from({ length: count }, (_, i) => ({
      ...Object.fromEntries(columns.map(column => [column.name, valueFor(choices, column.type)])),
      id: i + 1,
      ...(owners.length > 0 && { owner: choices.pick(owners) }),
      ...(key.length > 1 && { k: 1 + choices.below(2) }),
    })),
  )
}

const WORDS = ['red', 'blue', 'Red', 'a b', null]
const DOCS = ['{"a":1,"b":"x"}', '{"a":2,"b":null}', '{"b":"y"}', null]

function valueFor(choices: Choices, type: ColumnType): Value {
  if (type === 'int') return choices.pick([1, 2, 3, 4, null])
  if (type === 'text') return choices.pick(WORDS)
  return type === 'boolean' ? choices.pick([true, false, null]) : choices.pick(DOCS)
}

function addKeys(choices: Choices, draft: Draft, name: string): void {
  const count = choices.pick([1, 1, 2, 0, 2, 3])
  for (let i = 0; i < count; i++) {
    const table = relationOf(draft, name)
    const target = choices.pick(draft.relations)
    const isShared = isSharable(choices, draft, table, target)
    if (isShared) addSharedKey(draft, table, target)
    else addReference(choices, draft, table, target)
  }
}

/** True: its own key is to refer to the target, so that each row has one there at most. */
function isSharable(choices: Choices, draft: Draft, table: Relation, target: Relation): boolean {
  const isEarlier = draft.relations.indexOf(target) < draft.relations.indexOf(table)
  const isFixed = draft.keys.some(
    key => key.references === table.name || (key.table === table.name && key.columns.includes('id')),
  )
  return isEarlier && !isFixed && table.key?.length === 1 && target.key?.length === 1 && choices.chance(15)
}

function addSharedKey(draft: Draft, table: Relation, target: Relation): void {
  const known = (draft.rows.get(target.name) ?? []).map(({ id }) => id)
  const rows = (draft.rows.get(table.name) ?? []).slice(0, known.length)
  const changed = rows.map((row, i): Row => ({ ...row, id: known[known.length - 1 - i] ?? null }))
  draft.rows.set(table.name, changed)
  draft.keys.push(keyOf(table.name, ['id'], target, true))
}

function addReference(choices: Choices, draft: Draft, table: Relation, target: Relation): void {
  const isUnique = choices.chance(12)
  const stem = freshStem(table, target.name)
  const names = (target.key ?? []).map(column => `${stem}_${column}`)
  const known = draft.rows.get(target.name) ?? []
  const left = [...known]
  for (const row of draft.rows.get(table.name) ?? []) {
    const meant = known.length === 0 || choices.chance(20) ? undefined : choices.pick(known)
    const isFree = !isUnique || (meant !== undefined && left.includes(meant))
    if (meant && isUnique && isFree) left.splice(left.indexOf(meant), 1)
    names.forEach((name, i) => {
      row[name] = (isFree ? meant?.[target.key?.[i] ?? ''] : undefined) ?? null
    })
  }
  replaceRelation(draft, {
    ...table,
    columns: [...table.columns, ...names.map(name => own(table.name, name, 'int'))],
  })
  const key = keyOf(table.name, names, target, isUnique)
  draft.keys.push(choices.chance(20) ? { ...key, name: `${stem}_link` } : key)
}

function addJunction(choices: Choices, draft: Draft, names: readonly string[]): void {
  const [first, second] = [choices.pick(names), choices.pick(names)].map(each => relationOf(draft, each))
  if (!first || !second) return
  const name = `${first.name}_${second.name}`
  if (draft.relations.some(each => each.name === name)) return
  const here = (first.key ?? []).map(column => `${first.name}_${column}`)
  const there = (second.key ?? []).map(
    column => `${second.name === first.name ? 'other' : second.name}_${column}`,
  )
  const hasOwnKey = choices.chance(12)
  const key = hasOwnKey ? ['id'] : [...here, ...there, ...(choices.chance(10) ? ['place'] : [])]
  const numbers = [...new Set([...key, ...here, ...there, 'n'])].map(column => own(name, column, 'int'))
  const columns = [...numbers, ...(draft.owners.length > 0 ? [own(name, 'owner', 'text')] : [])]
  draft.relations.push({ name, columns, key, isView: false })
  const pairs = (draft.rows.get(first.name) ?? []).flatMap(a =>
    (draft.rows.get(second.name) ?? []).map(b => ({ a, b })),
  )
  const rows = choices.some(pairs, 35).map(
    ({ a, b }, i): Row => ({
      ...Object.fromEntries(here.map((column, at) => [column, a[first.key?.[at] ?? ''] ?? null])),
      ...Object.fromEntries(there.map((column, at) => [column, b[second.key?.[at] ?? ''] ?? null])),
      n: i,
      ...(draft.owners.length > 0 && { owner: choices.pick(draft.owners) }),
      ...(hasOwnKey && { id: i + 1 }),
      ...(key.includes('place') && { place: i }),
    }),
  )
  draft.rows.set(name, rows)
  draft.keys.push(keyOf(name, here, first, false), keyOf(name, there, second, false))
}

function keyOf(table: string, columns: readonly string[], target: Relation, isOneToOne: boolean): Key {
  const name = `${table}_${columns.join('_')}_fkey`
  return { name, table, columns, references: target.name, referenced: target.key ?? [], isOneToOne }
}

function relationOf(draft: Draft, name: string): Relation {
  const found = draft.relations.find(each => each.name === name)
  if (!found) throw new TypeError(`no relation ${name}`)
  return found
}

function replaceRelation(draft: Draft, relation: Relation): void {
  draft.relations.splice(
    draft.relations.findIndex(({ name }) => name === relation.name),
    1,
    relation,
  )
}

function freshStem(table: Relation, target: string): string {
  const isTaken = (stem: string) => table.columns.some(({ name }) => name === `${stem}_id`)
  return [target, 'main', 'second', 'last'].find(stem => !isTaken(stem)) ?? `${target}_x`
}

function tableSql(
  { rows, keys }: Draft,
  { name, columns, key }: Relation,
  isKept: (row: Row) => boolean,
): string {
  const unique = keys
    .filter(each => each.table === name && each.isOneToOne && !each.columns.includes('id'))
    .map(each => `, unique (${each.columns.join(', ')})`)
  const defined = columns.map(column => `${column.name} ${column.type}`).join(', ')
  const create = `create table $.${name} (${defined}, primary key (${key?.join(', ')})${unique.join('')})`
  const values = (rows.get(name) ?? [])
    .filter(isKept)
    .map(row => `(${columns.map(each => literal(row[each.name])).join(', ')})`)
  return values.length === 0 ? create : `${create};\ninsert into $.${name} values ${values.join(', ')}`
}

function literal(value: Value | undefined): string {
  return typeof value === 'string' ? `'${value}'` : String(value ?? null)
}

function keySql({ name, table, columns, references, referenced }: Key): string {
  const key = `foreign key (${columns.join(', ')}) references $.${references} (${referenced.join(', ')})`
  return `alter table $.${table} add constraint ${name} ${key}`
}

function addView(choices: Choices, draft: Draft, name: string): void {
  const source = choices.pick(draft.relations)
  const key = choices.chance(75) ? (source.key ?? []) : []
  const kept = source.columns.filter(column => key.includes(column.name) || !choices.chance(25))
  const shown = kept.map(column => ({ from: column.name, ...column, name: renamed(choices, column.name) }))
  const [first] = shown
  if (!first) return
  const twice = choices.chance(6) ? [{ ...first, name: 'again' }] : []
  const columns = [...shown, ...twice].map(({ name: shownAs, type, of }) => ({ name: shownAs, type, of }))
  const keyShown = (source.key ?? []).map(column => shown.find(({ from }) => from === column)?.name)
  const isTotal = source.key !== undefined && keyShown.every(each => each !== undefined)
  draft.relations.push({ name, columns, key: isTotal ? (keyShown as string[]) : undefined, isView: true })
  const list = [...shown, ...twice].map(each => `${each.from} as ${each.name}`).join(', ')
  const options = draft.owners.length > 0 || choices.chance(30) ? ' with (security_invoker)' : ''
  const where = choices.chance(20) ? ` where ${first.from} is not null` : ''
  draft.sql.push(`create view $.${name}${options} as select ${list} from $.${source.name}${where}`)
}

function renamed(choices: Choices, name: string): string {
  return choices.chance(20) ? `the_${name}` : name
}

function addFunction(choices: Choices, draft: Draft, tables: readonly Relation[]): void {
  const [from, to] = [choices.pick(tables), choices.pick(tables)]
  const isOne = choices.chance(50)
  const name = choices.chance(15) ? to.name : 'near'
  const order = (to.key ?? []).join(', ')
  const body = `select * from $.${to.name} where n >= ($1).n order by ${order}${isOne ? ' limit 1' : ''}`
  const returns = `returns setof $.${to.name}${isOne ? ' rows 1' : ''} language sql stable`
  draft.functions.push({ name, from: from.name, to: to.name, isOne })
  draft.sql.push(`create function $.${name}($.${from.name}) ${returns} as '${body}'`)
}

function policySql(choices: Choices, table: string): string {
  const shows = choices.pick(['n is null or n > 1', 'n < 3', 'true', 'n is not null'])
  const rule = `create policy part on $.${table} to anon using (${shows}) with check (true)`
  return `alter table $.${table} enable row level security; ${rule}`
}

function ownerPolicySql(choices: Choices, table: string): string {
  const sub = choices.pick(["current_setting('request.jwt.claims', true)::json ->> 'sub'", 'quoin.uid()'])
  const rule = `create policy own on $.${table} to anon using (owner in (${sub}, '${EVERYBODY}'))`
  return `alter table $.${table} enable row level security; ${rule}`
}
