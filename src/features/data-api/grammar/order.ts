// Parses `order`: `a.desc.nullslast,b,data->>k.asc,author(name).asc`. Pure.

import { ORDER_TERMS_MAX } from '../limits.ts'
import { parseField, parseWhole } from './grammar.ts'
import type { OrderTerm } from './query-ast.ts'
import type { TextCursor } from './text-cursor.ts'

const FORM = 'A term is column, column.asc or column.desc, then .nullsfirst or .nullslast if wanted.'

/** The terms of an `order` parameter, the first one first; an empty parameter has none. Throws `invalid_order`. */
export function parseOrder(text: string): OrderTerm[] {
  if (text.trim() === '') return []
  return parseWhole('invalid_order', 'order', text, cursor => {
    const terms: OrderTerm[] = []
    cursor.skipSpaces()
    do {
      if (terms.length === ORDER_TERMS_MAX) cursor.fail(`order takes at most ${ORDER_TERMS_MAX} terms`)
      terms.push(parseTerm(cursor))
    } while (cursor.skipToken(','))
    return terms
  })
}

function parseTerm(cursor: TextCursor): OrderTerm {
  const first = parseField(cursor)
  const isRelated = first.path.length === 0 && cursor.skip('(')
  const field = isRelated ? parseField(cursor) : first
  if (isRelated) cursor.expect(')')
  const direction = cursor.skip('.asc') ? 'asc' : cursor.skip('.desc') ? 'desc' : undefined
  const nulls = cursor.skip('.nullsfirst') ? 'first' : cursor.skip('.nullslast') ? 'last' : undefined
  if (cursor.next === '.') cursor.fail('expected "asc", "desc", "nullsfirst" or "nullslast"', FORM)
  return { relation: isRelated ? first.name : undefined, field, direction, nulls }
}
