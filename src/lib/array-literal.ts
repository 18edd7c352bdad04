// Postgres' text form of arrays (`{1,"a b",NULL,{...}}`), read and written. Pure. Source: Postgres manual, section 8.15.6.

/** An element's text, null for NULL, or a nested array. */
export type ArrayItem = string | null | ArrayItem[]

const SPACE = /\s/

/** Reads what Postgres' array_out wrote; lower bounds (`[0:1]={...}`) are read over. Throws on anything else. */
export function readArrayLiteral(literal: string, delimiter = ','): ArrayItem[] {
  const start = literal.startsWith('[') ? literal.indexOf('={') + 1 : 0
  const stack: ArrayItem[][] = []
  let at = start
  for (;;) {
    const character = literal[at]
    if (character === undefined) throw new Error('the array literal ends too early')
    if (character === '{') {
      stack.push([])
      at++
    } else if (character === '}') {
      const closed = stack.pop()
      at++
      if (closed === undefined) throw new Error('the array literal closes what it never opened')
      const outer = stack.at(-1)
      if (outer === undefined) return closed
      outer.push(closed)
    } else if (character === delimiter || SPACE.test(character)) at++
    else {
      const item = character === '"' ? readQuoted(literal, at) : readPlain(literal, at, delimiter)
      const inner = stack.at(-1)
      if (inner === undefined) throw new Error('the array literal does not start with a brace')
      inner.push(item.value)
      at = item.end
    }
  }
}

function readQuoted(literal: string, start: number): { value: string; end: number } {
  let value = ''
  let from = start + 1
  for (let at = from; ; at++) {
    const character = literal[at]
    if (character === undefined) throw new Error('the array literal ends inside quotes')
    if (character === '"') return { value: value + literal.slice(from, at), end: at + 1 }
    if (character === '\\') {
      value += literal.slice(from, at)
      // The character after a backslash stands for itself, be it a quote or another backslash.
      from = at + 1
      at++
    }
  }
}

/** Postgres quotes every element that holds a brace, quote, backslash, delimiter or blank, or reads NULL. */
function readPlain(literal: string, start: number, delimiter: string): { value: string | null; end: number } {
  let end = start
  while (end < literal.length && literal[end] !== delimiter && literal[end] !== '}') end++
  const text = literal.slice(start, end)
  return { value: text === 'NULL' ? null : text, end }
}

/** Writes an array literal; every text is quoted, so that none can end its element. */
export function writeArrayLiteral(items: readonly ArrayItem[]): string {
  const parts = items.map(item => {
    if (item === null) return 'NULL'
    return typeof item === 'string' ? quoteItem(item) : writeArrayLiteral(item)
  })
  return `{${parts.join(',')}}`
}

function quoteItem(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}
