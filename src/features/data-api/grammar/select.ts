// Parses `select`: `id,alias:data->path::cast,total.sum(),...author(name),tags!inner(*)`. Pure.

import { COLUMNS_MAX, EMBED_DEPTH_MAX, EMBEDS_MAX } from '../limits.ts'
import { parseJsonPath, parseName, parseWhole } from './grammar.ts'
import type { Aggregate, AggregateName, SelectedEmbed, SelectItem } from './query-ast.ts'
import type { TextCursor } from './text-cursor.ts'

const AGGREGATE = /\.(?:sum|avg|count|max|min)\(\)/y
const CAST = /[A-Za-z0-9_ ]+(?:\[\])?/y

/** Counts what the whole parameter has, so that no nesting gets past the bounds. */
interface Counts {
  items: number
  embeds: number
}

/** The items of a `select` parameter; an empty one means every column. Throws `invalid_select`. */
export function parseSelect(text: string): SelectItem[] {
  if (text.trim() === '') return [{ kind: 'all' }]
  return parseWhole('invalid_select', 'select', text, cursor =>
    parseItems(cursor, { items: 0, embeds: 0 }, 0),
  )
}

function parseItems(cursor: TextCursor, counts: Counts, depth: number): SelectItem[] {
  const items: SelectItem[] = []
  cursor.skipSpaces()
  do {
    if (++counts.items > COLUMNS_MAX) cursor.fail(`select takes at most ${COLUMNS_MAX} items`)
    items.push(parseItem(cursor, counts, depth))
  } while (cursor.skipToken(','))
  cursor.skipSpaces()
  return items
}

function parseItem(cursor: TextCursor, counts: Counts, depth: number): SelectItem {
  if (cursor.skip('...')) {
    const target = parseName(cursor, 'the name of a related table')
    return parseEmbed(cursor, counts, depth, { target, alias: undefined, isSpread: true })
  }
  if (cursor.skip('*')) return { kind: 'all' }
  const alias = parseAlias(cursor)
  if (cursor.skip('count()')) return { kind: 'count', isBare: false, alias, cast: parseCast(cursor) }
  const name = parseName(cursor, 'a column name or *')
  if (name !== 'count' && (cursor.next === '(' || cursor.next === '!')) {
    return parseEmbed(cursor, counts, depth, { target: name, alias, isSpread: false })
  }
  const path = parseJsonPath(cursor)
  const cast = parseCast(cursor)
  return { kind: 'field', field: { name, path }, alias, cast, aggregate: parseAggregate(cursor) }
}

/** `alias:`, which is not the `::` of a cast. */
function parseAlias(cursor: TextCursor): string | undefined {
  const start = cursor.position
  const name = parseName(cursor, 'a column name or *')
  if (cursor.next === ':' && !cursor.startsWith('::')) {
    cursor.expect(':')
    cursor.skipSpaces()
    return name
  }
  cursor.position = start
  return undefined
}

function parseEmbed(
  cursor: TextCursor,
  counts: Counts,
  depth: number,
  named: Pick<SelectedEmbed, 'target' | 'alias' | 'isSpread'>,
): SelectedEmbed {
  if (++counts.embeds > EMBEDS_MAX) cursor.fail(`a request embeds at most ${EMBEDS_MAX} relations`)
  if (depth === EMBED_DEPTH_MAX) cursor.fail(`relations are embedded at most ${EMBED_DEPTH_MAX} deep`)
  let hint: string | undefined
  let join: string | undefined
  for (let i = 0; i < 2 && cursor.skip('!'); i++) {
    const found = parseName(cursor, 'inner, left or what tells the relationships apart')
    if (found === 'inner' || found === 'left') join ??= found
    else hint ??= found
  }
  cursor.expect('(')
  cursor.skipSpaces()
  const items = cursor.next === ')' ? [] : parseItems(cursor, counts, depth + 1)
  if (!cursor.skip(')'))
    cursor.fail('expected "," or ")"', 'An embedded relation looks like author(id,name).')
  return { kind: 'embed', ...named, hint, isInner: join === 'inner', items }
}

function parseAggregate(cursor: TextCursor): Aggregate | undefined {
  const call = cursor.take(AGGREGATE)
  if (call === undefined) return undefined
  return { name: call.slice(1, -2) as AggregateName, cast: parseCast(cursor) }
}

function parseCast(cursor: TextCursor): string | undefined {
  if (!cursor.skip('::')) return undefined
  const cast = cursor.take(CAST)?.trim()
  if (!cast) cursor.fail('expected the name of a type', 'A cast looks like id::text or created_at::date.')
  return cast
}
