// Pieces of JSON as they were written, so that no number loses a digit. The text is JSON already, from `JSON.parse` or
// Postgres, whose json may hold escapes that strict readers refuse; `isDeeperThan` alone takes any text.

const QUOTE = 0x22
const COMMA = 0x2c
const OPEN_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

/** Whether containers lie in each other by more than `depthMax`. Asked before parsing: it needs no stack. */
export function isDeeperThan(json: string, depthMax: number): boolean {
  let depth = 0
  for (let at = 0; at < json.length; at++) {
    const unit = json.charCodeAt(at)
    if (unit === QUOTE) at = endOfString(json, at) - 1
    else if (unit === OPEN_BRACE || unit === OPEN_BRACKET) {
      if (++depth > depthMax) return true
    } else if (unit === CLOSE_BRACE || unit === CLOSE_BRACKET) depth--
  }
  return false
}

/** The text of each element of an array. */
export function elementTexts(json: string): string[] {
  const texts: string[] = []
  let depth = 0
  let start = 0
  for (let at = 0; at < json.length; at++) {
    const unit = json.charCodeAt(at)
    if (unit === QUOTE) at = endOfString(json, at) - 1
    else if (unit === OPEN_BRACE || unit === OPEN_BRACKET) {
      if (++depth === 1) start = at + 1
    } else {
      const isEnd = (unit === CLOSE_BRACE || unit === CLOSE_BRACKET) && --depth === 0
      if (!isEnd && (unit !== COMMA || depth !== 1)) continue
      const text = json.slice(start, at).trim()
      if (text !== '') texts.push(text)
      start = at + 1
    }
  }
  return texts
}

/** The text of each member's value, by its name; the last one of a name counts, as in `JSON.parse`. */
export function memberTexts(json: string): Map<string, string> {
  const members = new Map<string, string>()
  for (const text of elementTexts(json)) {
    const nameEnd = endOfString(text, 0)
    members.set(nameOf(text.slice(0, nameEnd)), text.slice(text.indexOf(':', nameEnd) + 1).trimStart())
  }
  return members
}

function nameOf(quoted: string): string {
  return quoted.includes('\\') ? String(JSON.parse(quoted)) : quoted.slice(1, -1)
}

/** Behind the closing quote of the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; ; at++) {
    at = text.indexOf('"', at)
    if (at < 0) return text.length
    let first = at
    while (text.charCodeAt(first - 1) === BACKSLASH) first--
    if ((at - first) % 2 === 0) return at + 1
  }
}
