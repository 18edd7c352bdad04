// How large a short request may make the text of a tree, and its answer. Pure.

import { DomainError } from '../../../errors.ts'
import { SAME_FIELD_MAX, WRITTEN_LEVELS_MAX } from '../limits.ts'
import type { Embed, Level, LevelFilter, Link } from './level.ts'

/**
 * Throws `invalid_select` for a tree whose text would be too long, or that shows a field too often. Takes time by what
 * was sent alone.
 */
export function refuseLargeTree(root: Level): void {
  refuseLongText(root)
  refuseRepeatedFields(root)
}

/** Each condition on a relation below writes the whole of what that relation depends on once more. */
function refuseLongText(root: Level): void {
  const known = new Map<Level, number>()
  const whereSize = (level: Level): number => {
    const size = known.get(level) ?? sum(askedBelow(level), each => 1 + whereSize(each.level))
    known.set(level, size)
    return size
  }
  const shownSize = (level: Level): number => {
    const sorted = level.order.flatMap(({ below }) => (below === undefined ? [] : [below.embed]))
    const own = 1 + whereSize(level) + sum(sorted, each => 1 + whereSize(each.level))
    return own + sum(embedsOf(level), each => shownSize(each.level))
  }
  const size = shownSize(root)
  if (size <= WRITTEN_LEVELS_MAX) return
  throw new DomainError('invalid_select', 'The request asks for related rows in too many places.', {
    detail: `Its relations would be read ${size.toExponential(0)} times; ${WRITTEN_LEVELS_MAX} are the most.`,
    hint: 'Use fewer !inner, null filters on relations, and orders by related fields, above all deep in the tree.',
    postgrest: { code: 'PGRST100' },
  })
}

/** Of a field of one row each showing is a copy, in the memory of Postgres too. Other ways lead to other rows. */
function refuseRepeatedFields(root: Level): void {
  for (const places of Map.groupBy(placesOf(root, ''), ({ way }) => way).values()) {
    const items = places.flatMap(({ level }) => level.items)
    const fields = items.flatMap(item =>
      item.kind === 'field' && item.aggregate === undefined ? [JSON.stringify(item.field)] : [],
    )
    const most = Math.max(0, ...[...Map.groupBy(fields, field => field).values()].map(same => same.length))
    const count = most + items.filter(({ kind }) => kind === 'all').length
    if (count <= SAME_FIELD_MAX) continue
    const name = places[0]?.level.table?.name ?? root.alias
    throw new DomainError('invalid_select', `The request shows a field of "${name}" ${count} times.`, {
      detail: `${SAME_FIELD_MAX} times are the most, over all places where the same rows are embedded.`,
      hint: 'Embed it once, or choose other columns in each place: * stands for all of them.',
      postgrest: { code: 'PGRST100' },
    })
  }
}

interface Place {
  readonly level: Level
  /** The keys that lead to it from the outermost rows. */
  readonly way: string
}

function placesOf(level: Level, way: string): Place[] {
  const below = embedsOf(level).flatMap(embed =>
    placesOf(embed.level, `${way}${JSON.stringify(wayOf(embed.link))}`),
  )
  return [{ level, way }, ...below]
}

/** Without the names that a junction has in SQL. */
function wayOf(link: Link): unknown {
  return link.kind === 'junction' ? { ...link, junctionAlias: undefined } : link
}

function embedsOf({ items }: Level): Embed[] {
  return items.flatMap(item => (item.kind === 'embed' || item.kind === 'spread' ? [item.embed] : []))
}

/** The relations that a row must have, or must not have, once for each time that it is asked. */
function askedBelow(level: Level): Embed[] {
  return [...embedsOf(level).filter(({ isInner }) => isInner), ...level.filters.flatMap(relatedIn)]
}

function relatedIn(filter: LevelFilter): Embed[] {
  if (filter.kind === 'related') return [filter.embed]
  return filter.kind === 'tree' ? filter.filters.flatMap(relatedIn) : []
}

function sum<T>(list: readonly T[], sizeOf: (each: T) => number): number {
  return list.reduce((total, each) => total + sizeOf(each), 0)
}
