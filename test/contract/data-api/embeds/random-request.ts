// Requests for trees of related rows, most of which succeed.

import type { Choices } from './choices.ts'
import { randomConditions } from './random-conditions.ts'
import { type Column, type Relation, type Schema, type Way, waysFrom } from './schema-model.ts'

export interface TreeRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly table: string
  readonly query: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
  /** True where every list of rows has a total order. */
  readonly isOrdered: boolean
}

/** What may be in the requests. */
export interface RequestSettings {
  readonly writes: readonly ('PATCH' | 'POST' | 'DELETE')[]
}

/** What all levels of one tree share. */
interface Tree {
  readonly choices: Choices
  readonly schema: Schema
  readonly settings: RequestSettings
  readonly params: string[]
  embedsLeft: number
  aliases: number
  isOrdered: boolean
}

interface LevelPlace {
  readonly relation: Relation
  /** The names on the way to it. */
  readonly path: readonly string[]
  readonly isMany: boolean
  readonly isSpread: boolean
}

interface Embedded {
  readonly way: Way
  readonly name: string
  readonly isSpread: boolean
  readonly level: MadeLevel
}

interface MadeLevel {
  readonly select: string
  /** Columns that are shown under their own names. */
  readonly shown: readonly string[]
  readonly isGrouped: boolean
}

const DEPTH_MAX = 4
const EMBEDS_MAX = 7

export function randomRequest(choices: Choices, schema: Schema, settings: RequestSettings): TreeRequest {
  const relation = choices.pick(schema.relations)
  const isWrite = settings.writes.length > 0 && !relation.isView && choices.chance(15)
  const tree: Tree = {
    choices,
    schema,
    settings,
    params: [],
    embedsLeft: EMBEDS_MAX,
    aliases: 0,
    isOrdered: !isWrite,
  }
  const place = { relation, path: [], isMany: !isWrite, isSpread: false }
  const { select } = randomLevel(tree, place)
  const write = isWrite ? randomWrite(tree, relation) : ({ method: 'GET', body: undefined } as const)
  const counted = isWrite ? [] : choices.some(['count=exact'], 40)
  const prefer = [...counted, ...(isWrite ? ['return=representation', 'tx=rollback'] : [])]
  return {
    ...write,
    table: relation.name,
    query: [`select=${select}`, ...tree.params].join('&'),
    headers: prefer.length > 0 ? { prefer: prefer.join(',') } : {},
    isOrdered: tree.isOrdered,
  }
}

/** One that is refused: with names that nothing has or several have, or what may not be asked of a relation. */
export function randomRefusal(choices: Choices, schema: Schema): TreeRequest {
  const relation = choices.pick(schema.relations)
  const { clear, ambiguous } = waysFrom(schema, relation)
  const several = ambiguous.map(({ name, hint }) => `e:${name}${hint === undefined ? '' : `!${hint}`}(*)`)
  const plain = clear.filter(({ hint }) => hint === undefined)
  const names = plain.slice(0, 1).map(({ name }) => name)
  const toMany = plain.filter(({ isOne }) => !isOne).slice(0, 1)
  const query = choices.pick([
    ...several.flatMap(item => [item, item, item]),
    ...toMany.map(({ name }) => `e:${name}(*)&order=e(n)`),
    ...names.flatMap(name => [
      `e:${name}!nothing(*)`,
      `e:${name}(nothing)`,
      `e:${name}(nothing(*))`,
      `e:${name}(*)&e=eq.1`,
      `e:${name}(*)&e.nothing.n=eq.1`,
      `e:${name}(*)&e.nothing=eq.1`,
      `e:${name}(*)&e.order=nothing(n)`,
    ]),
    'nothing(*)',
    '*&nothing.n=eq.1',
    '*&nothing.limit=1',
    '*&order=nothing(n)',
  ])
  const table = choices.chance(5) ? 'nothing' : relation.name
  return { method: 'GET', table, query: `select=${query}`, headers: {}, body: undefined, isOrdered: false }
}

function randomLevel(tree: Tree, place: LevelPlace): MadeLevel {
  const { choices } = tree
  const { relation, isSpread } = place
  const taken = new Set(relation.columns.map(({ name }) => name))
  const embeds = randomEmbeds(tree, place, taken)
  const wantsGroups = !(place.isMany && isSpread) && choices.chance(12)
  const isGrouped = wantsGroups || embeds.some(each => each.isSpread && each.level.isGrouped)
  const isEmpty = place.path.length > 0 && !isSpread && embeds.length === 0 && choices.chance(8)
  const own = isEmpty ? { items: [], shown: [] } : ownItems(tree, place, wantsGroups)
  addConditions(tree, place, embeds)
  if (place.isMany) addOrder(tree, place, { embeds, isGrouped, shown: own.shown })
  const items = [...own.items, ...embeds.map(each => embedItem(choices, each))]
  return { select: items.join(','), shown: own.shown, isGrouped }
}

function ownItems({ choices }: Tree, { relation, path, isSpread }: LevelPlace, isGrouped: boolean) {
  if (!isSpread && !isGrouped && choices.chance(30)) {
    return { items: ['*'], shown: relation.columns.map(({ name }) => name) }
  }
  const columns = choices.some(relation.columns, isGrouped ? 30 : 45)
  const listed = columns.length > 0 || isGrouped ? columns : relation.columns.slice(0, 1)
  const items = listed.map((column, i) =>
    isSpread ? `s${path.length}${i}_${path.at(-1)}:${column.name}` : columnItem(choices, column, i),
  )
  const shown = isSpread ? [] : items.filter(item => /^\w+$/.test(item))
  const aggregates = isGrouped ? randomAggregates(choices, relation, isSpread ? `${path.at(-1)}_` : '') : []
  return { items: [...items, ...aggregates], shown }
}

function columnItem(choices: Choices, { name, type }: Column, index: number): string {
  if (choices.chance(80)) return name
  if (type === 'jsonb') return choices.pick([`j${index}:${name}->a`, `j${index}:${name}->>b`])
  return choices.pick([`x${index}:${name}`, `${name}::text`, `x${index}:${name}::text`])
}

function randomAggregates(choices: Choices, relation: Relation, prefix: string): string[] {
  const numbers = relation.columns.filter(({ type }) => type === 'int')
  const over = numbers.length > 0 ? [choices.pick(numbers)] : []
  const sums = over.flatMap(({ name }) => [
    `${prefix}total:${name}.sum()`,
    `${prefix}most:${name}.max()`,
    `${prefix}mean:${name}.avg()::text`,
  ])
  return [`${prefix}count:count()`, ...choices.some(sums, 40)]
}

function randomEmbeds(tree: Tree, place: LevelPlace, taken: Set<string>): Embedded[] {
  const { choices, schema } = tree
  const { clear } = waysFrom(schema, place.relation)
  const isTop = place.path.length === 0
  const wanted =
    clear.length === 0 || place.path.length >= DEPTH_MAX
      ? 0
      : choices.pick(isTop ? [1, 1, 2, 2, 3] : [0, 1, 0, 1, 2])
  const ways = Array.from({ length: Math.min(wanted, tree.embedsLeft) }, () => choices.pick(clear))
  tree.embedsLeft -= ways.length
  return ways.map((way, i) => {
    // PostgREST takes the name of a relation for any that it embeds from there, those with an alias among them.
    const isNamedTwice = ways.some((other, at) => at !== i && other.name === way.name)
    const needsAlias = taken.has(way.name) || isNamedTwice
    const isSpread = !needsAlias && choices.chance(way.isOne ? 25 : 4)
    const hasAlias = needsAlias || (!isSpread && (place.isSpread || choices.chance(20)))
    const name = hasAlias ? freshName(tree, place, taken) : way.name
    taken.add(name)
    const path = [...place.path, name]
    const level = randomLevel(tree, { relation: way.target, path, isMany: !way.isOne, isSpread })
    return { way, name, isSpread, level }
  })
}

/** Mostly one that no other level has either. */
function freshName(tree: Tree, place: LevelPlace, taken: ReadonlySet<string>): string {
  if (!place.isSpread && !taken.has('same') && tree.choices.chance(15)) return 'same'
  tree.aliases += 1
  return `e${tree.aliases}`
}

function embedItem(choices: Choices, { way, name, isSpread, level }: Embedded): string {
  const hint = way.hint === undefined ? '' : `!${way.hint}`
  const join = choices.chance(25) ? choices.pick(['!inner', '!inner', '!left']) : ''
  const alias = name === way.name ? '' : `${name}:`
  return `${isSpread ? '...' : ''}${alias}${way.name}${hint}${join}(${level.select})`
}

function addConditions(tree: Tree, { relation, path }: LevelPlace, embeds: readonly Embedded[]): void {
  const { choices, params } = tree
  const prefix = path.map(name => `${name}.`).join('')
  const related = embeds.map(({ name }) => name)
  params.push(...randomConditions(choices, relation, related).map(condition => prefix + condition))
}

interface Shown extends Pick<MadeLevel, 'isGrouped' | 'shown'> {
  readonly embeds: readonly Embedded[]
}

function addOrder(tree: Tree, { relation, path }: LevelPlace, { embeds, isGrouped, shown }: Shown): void {
  const { choices, params } = tree
  const isTotal = !isGrouped && relation.key !== undefined && choices.chance(92)
  if (!isTotal) {
    tree.isOrdered = false
    return
  }
  const related = embeds
    .filter(({ way, level }) => way.isOne && level.shown.length > 0)
    .map(({ name, level }) => `${name}(${choices.pick(level.shown)})`)
  const columns = relation.columns.map(({ name }) => name)
  const first = [...choices.some(related, 25), ...choices.some(columns, 12), ...choices.some(shown, 8)]
  const ways = ['', '', '.desc', '.asc.nullsfirst', '.desc.nullslast']
  const terms = [...first.map(term => term + choices.pick(ways)), ...(relation.key ?? [])]
  const prefix = path.map(name => `${name}.`).join('')
  params.push(`${prefix}order=${terms.join(',')}`)
  if (choices.chance(20)) params.push(`${prefix}limit=${choices.pick([1, 2, 3, 0])}`)
  if (choices.chance(12)) params.push(`${prefix}offset=${choices.pick([1, 0, 2])}`)
}

function randomWrite(
  { choices, params, schema, settings }: Tree,
  relation: Relation,
): Pick<TreeRequest, 'method' | 'body'> {
  const method = choices.pick(settings.writes)
  if (method !== 'POST')
    params.push(choices.pick(['id=lt.3', 'n=gt.1', 'n=not.is.null']).replace('id', relation.key?.[0] ?? 'n'))
  if (method === 'DELETE') return { method, body: undefined }
  if (method === 'PATCH') return { method, body: { n: choices.pick([3, null, 9]) } }
  const keyOf = (table: string) => schema.keys.filter(key => key.table === table)
  const references = keyOf(relation.name)
    .flatMap(({ columns }) => choices.some([columns], 60))
    .flat()
  const row = (i: number) => ({
    ...Object.fromEntries(references.map(name => [name, 1 + choices.below(2)])),
    ...Object.fromEntries((relation.key ?? []).map(name => [name, references.includes(name) ? 1 : 100 + i])),
    n: i,
  })
  return { method, body: [row(1), row(2)].slice(0, 1 + choices.below(2)) }
}
