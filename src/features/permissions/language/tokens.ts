// The words and signs of a permission file, one at a time. Source: Keto v26.2.0, schema/lexer.go.

const KEYWORDS: ReadonlySet<string> = new Set(['class', 'implements', 'this', 'ctx'])
const SPACES = /[\t\n\v\f\r ]+/y
const WORD = /[A-Za-z_][A-Za-z0-9_]*/y
const SIGN = /=>|\|\||&&|[:.()[\]{}<>=,;|!]/y

export interface Token {
  /** identifier, string, end or error; a keyword and a sign are their own kind. */
  readonly kind: string
  readonly value: string
  /** In bytes of UTF-8. */
  readonly start: number
  readonly end: number
}

/** All tokens, comments left out, up to the first end or error. */
export function* readTokens(text: string): Generator<Token, undefined> {
  let at = 0
  let byte = 0
  const take = (kind: string | undefined, end: number, bytes = end - at): Token => {
    const value = text.slice(at, end)
    const start = byte
    at = end
    byte += bytes
    return { kind: kind ?? value, value, start, end: byte }
  }
  /** What may hold more than ASCII. */
  const takeAny = (kind: string, end: number) => take(kind, end, encodedLength(text.slice(at, end)))
  const takeUnclosed = (what: string) => ({
    ...takeAny('error', text.length),
    value: `the ${what} is not closed`,
  })
  /** Where the part that begins here ends, if one does. */
  const endOf = (expression: RegExp): number | undefined => {
    expression.lastIndex = at
    return expression.test(text) ? expression.lastIndex : undefined
  }

  for (;;) {
    take('spaces', endOf(SPACES) ?? at)
    const character = text.charAt(at)
    if (character === '') return yield take('end', at)
    if (text.startsWith('//', at)) {
      const end = text.indexOf('\n', at)
      takeAny('comment', end < 0 ? text.length : end)
    } else if (text.startsWith('/*', at)) {
      const close = text.indexOf('*/', at + 2)
      if (close < 0) return yield takeUnclosed('comment')
      takeAny('comment', close + 2)
    } else if (character === '"' || character === "'") {
      take('quote', at + 1)
      // Nothing escapes the quotation mark.
      const close = text.indexOf(character, at)
      if (close < 0) return yield takeUnclosed('string')
      yield takeAny('string', close)
      take('quote', at + 1)
    } else {
      const endOfWord = endOf(WORD)
      const end = endOfWord ?? endOf(SIGN)
      if (end === undefined) return yield { ...take('error', at), value: 'a character that has no meaning' }
      const isItsOwnKind = endOfWord === undefined || KEYWORDS.has(text.slice(at, end))
      yield take(isItsOwnKind ? undefined : 'identifier', end)
    }
  }
}

const encodedLength = (text: string) => new TextEncoder().encode(text).length
