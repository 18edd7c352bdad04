// JSON as text, so that every number keeps its digits: JavaScript would round those beyond 2^53.

const TOKEN = /"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s[\]{},:"]+/g

/** The same JSON with a line for each value, indented. The text must be valid JSON. */
export function prettyJson(text: string): string {
  const tokens = text.match(TOKEN) ?? []
  let depth = 0
  let out = ''
  const line = () => `\n${'  '.repeat(depth)}`
  for (const [i, token] of tokens.entries()) {
    const isEmptyEnd = tokens[i - 1] === '{' || tokens[i - 1] === '['
    if (token === '{' || token === '[') {
      depth++
      out += isClosing(tokens[i + 1]) ? token : token + line()
    } else if (isClosing(token)) {
      depth--
      out += isEmptyEnd ? token : line() + token
    } else if (token === ',') out += token + line()
    else out += token === ':' ? ': ' : token
  }
  return out
}

function isClosing(token: string | undefined): boolean {
  return token === '}' || token === ']'
}

/** What is wrong with a text that should be JSON; undefined: nothing. */
export function jsonProblem(text: string): string | undefined {
  try {
    JSON.parse(text)
    return undefined
  } catch (err) {
    return err instanceof Error ? err.message : String(err)
  }
}
