// How often relations are written into the text of a tree. Each condition on a relation below writes the whole of what
// that relation depends on once more, so a short request could ask for a text without end. Pure.

import { DomainError } from '../../../errors.ts'
import { WRITTEN_LEVELS_MAX } from '../limits.ts'
import type { Embed, Level, LevelFilter } from './level.ts'

/** Throws `invalid_select` for a tree whose text would be too long. Takes time by the levels of the tree alone. */
export function refuseLargeTree(root: Level): void {
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
