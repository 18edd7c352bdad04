// Parses `select`: `id,name,alias:column->path::cast`. Pure. Embedded resources and aggregates get an error of their
// own.

import { COLUMNS_MAX, SAME_FIELD_MAX } from '../limits.ts'
import { parseJsonPath, parseName, parseWhole } from './grammar.ts'
import type { SelectItem } from './query-ast.ts'
import type { TextCursor } from './text-cursor.ts'

const AGGREGATE = /\.(?:sum|avg|count|max|min)\(\)/y
const CAST = /[A-Za-z0-9_ ]+(?:\[\])?/y

/** The items of a `select` parameter; an empty one means every column. Throws `invalid_select`. */
export function parseSelect(text: string): SelectItem[] {
  if (text.trim() === '') return [{ kind: 'all' }]
  return parseWhole('invalid_select', 'select', text, cursor => {
    const items: SelectItem[] = []
    const counts = new Map<string, number>()
    cursor.skipSpaces()
    do {
      if (items.length === COLUMNS_MAX) cursor.fail(`select takes at most ${COLUMNS_MAX} items`)
      const item = parseItem(cursor)
      const field = JSON.stringify(item.kind === 'all' ? '*' : item.field)
      const count = (counts.get(field) ?? 0) + 1
      if (count > SAME_FIELD_MAX) cursor.fail(`select takes the same field at most ${SAME_FIELD_MAX} times`)
      counts.set(field, count)
      items.push(item)
    } while (cursor.skipToken(','))
    return items
  })
}

function parseItem(cursor: TextCursor): SelectItem {
  if (cursor.skip('*')) return { kind: 'all' }
  if (cursor.startsWith('...')) refuseEmbedding(cursor)
  if (/^count\(\)/.test(cursor.text.slice(cursor.position))) refuseAggregate(cursor)
  const first = parseName(cursor, 'a column name or *')
  const isAlias = cursor.next === ':' && !cursor.startsWith('::')
  if (isAlias) cursor.expect(':')
  if (isAlias) cursor.skipSpaces()
  const name = isAlias ? parseName(cursor, 'a column name') : first
  if (cursor.next === '(' || cursor.next === '!') refuseEmbedding(cursor)
  const path = parseJsonPath(cursor)
  const cast = cursor.skip('::') ? parseCast(cursor) : undefined
  if (cursor.take(AGGREGATE)) refuseAggregate(cursor)
  return { kind: 'field', field: { name, path }, alias: isAlias ? first : undefined, cast }
}

function parseCast(cursor: TextCursor): string {
  const cast = cursor.take(CAST)?.trim()
  if (!cast) cursor.fail('expected the name of a type', 'A cast looks like id::text or created_at::date.')
  return cast
}

function refuseEmbedding(cursor: TextCursor): never {
  cursor.fail(
    'expected a column, because embedding related tables is not there yet',
    'Read the related table in a request of its own, or make a view that joins both.',
  )
}

function refuseAggregate(cursor: TextCursor): never {
  cursor.fail(
    'expected a column, because aggregate functions are not allowed',
    'Use Prefer: count=exact to count rows, or make a view or function that aggregates.',
  )
}
