// Reads the expression of a policy as Postgres prints it (pg_get_expr): calls that do not depend on the row. Pure.

/** A word, a string, a quoted name, or any one character. */
const TOKENS = /'(?:[^']|'')*'|"(?:[^"]|"")*"|[\p{L}\p{N}_$.]+|\s+|./gsu

/**
 * The expression with each call of `functions` in a sub-select of its own, which Postgres runs once a statement;
 * undefined where none stands outside of a sub-select, ANY and ALL, or is called with anything but literals.
 * `functions` are names as Postgres prints them, with their schema.
 */
export function callsOnce(expression: string, functions: ReadonlySet<string>): string | undefined {
  const tokens = expression.match(TOKENS) ?? []
  let rewritten = ''
  let found = false
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] ?? ''
    const end = token === '(' && isSelect(tokens, at) ? endOfParenthesis(tokens, at) : at
    if (end > at) {
      rewritten += tokens.slice(at, end + 1).join('')
      at = end
      continue
    }
    const call = functionAt(tokens, at, functions)
    if (call === undefined) {
      rewritten += token
      continue
    }
    const isSet = isComparedSet(tokens, at, call.end)
    found ||= !isSet
    rewritten += isSet ? call.text : `(select ${call.text})`
    at = call.end
  }
  return found ? rewritten : undefined
}

/** Whether a sub-select begins with the parenthesis at this place. */
function isSelect(tokens: readonly string[], at: number): boolean {
  const next = /^\s+$/.test(tokens[at + 1] ?? '') ? tokens[at + 2] : tokens[at + 1]
  return next === 'SELECT' || next === 'WITH'
}

/** The place of the parenthesis that closes the one at `start`. */
function endOfParenthesis(tokens: readonly string[], start: number): number {
  let depth = 0
  for (let at = start; at < tokens.length; at++) {
    if (tokens[at] === '(') depth++
    if (tokens[at] === ')') depth--
    if (depth === 0) return at
  }
  return tokens.length - 1
}

/** Whether it is all that ANY or ALL compares with: of an array it takes the elements, of a sub-select the rows. */
function isComparedSet(tokens: readonly string[], start: number, end: number): boolean {
  let before = start - 1
  let behind = end + 1
  while (tokens[before] === '(' && tokens[behind] === ')') {
    before--
    behind++
  }
  if (/^\s+$/.test(tokens[before] ?? '')) before--
  return tokens[before] === 'ANY' || tokens[before] === 'ALL'
}

/** The call that begins here: its text, and the place of its closing parenthesis. */
function functionAt(
  tokens: readonly string[],
  start: number,
  functions: ReadonlySet<string>,
): { text: string; end: number } | undefined {
  // A quoted name is a token of its own: `auth."my uid"` is three.
  let name = ''
  let at = start
  while (/^["\p{L}\p{N}_$.]/u.test(tokens[at] ?? '')) name += tokens[at++]
  if (!functions.has(name) || tokens[at] !== '(') return undefined
  const end = endOfParenthesis(tokens, at)
  const list = tokens.slice(at, end + 1)
  return list.every(isConstant) ? { text: name + list.join(''), end } : undefined
}

/** A string and its cast to text, true, false, or what stands between arguments: no column is among these. */
function isConstant(token: string, i: number, list: readonly string[]): boolean {
  const isCast = token === 'text' && list[i - 1] === ':' && list[i - 2] === ':'
  return isCast || /^(?:'.*|true|false|[(),:]|\s+)$/s.test(token)
}
