// The members of a row's JSON, as text. Pure. Postgres wrote it, so nothing is checked: a value of the type json may
// hold escapes that strict readers refuse. No value is parsed, for a bigint or a numeric would lose digits.

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const COMMA = 0x2c

/** Each member of the object by its name: `"name":value`, as it stands there. */
export function rowMembers(row: string): Map<string, string> {
  const members = new Map<string, string>()
  let at = row.indexOf('"')
  while (at >= 0) {
    const keyEnd = endOfString(row, at)
    const end = endOfValue(row, keyEnd)
    members.set(nameOf(row.slice(at, keyEnd)), row.slice(at, end).trimEnd())
    at = row.charCodeAt(end) === COMMA ? row.indexOf('"', end) : -1
  }
  return members
}

function nameOf(quoted: string): string {
  return quoted.includes('\\') ? String(JSON.parse(quoted)) : quoted.slice(1, -1)
}

/** Behind the closing quote of the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1
  for (;;) {
    const quote = text.indexOf('"', at)
    if (quote < 0) return text.length
    let first = quote
    while (text.charCodeAt(first - 1) === BACKSLASH) first--
    if ((quote - first) % 2 === 0) return quote + 1
    at = quote + 1
  }
}

/** At the comma or the brace that ends the member. */
function endOfValue(text: string, start: number): number {
  let depth = 0
  let at = start
  while (at < text.length) {
    const unit = text.charCodeAt(at)
    if (unit === QUOTE) {
      at = endOfString(text, at)
      continue
    }
    if (depth === 0 && (unit === COMMA || unit === CLOSE_BRACE)) return at
    if (unit === OPEN_BRACE || unit === OPEN_BRACKET) depth++
    else if (unit === CLOSE_BRACE || unit === CLOSE_BRACKET) depth--
    at++
  }
  return at
}
