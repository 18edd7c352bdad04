// Pieces of JSON as they were written, so that no number loses a digit. `endOfValue` and what stands on it expect text
// that `JSON.parse` has taken; `isDeeperThan` takes any.

const QUOTE = 0x22
const COMMA = 0x2c
const OPEN_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const SPACE = 0x20

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

/** The text of an array's element; undefined: it has none there. */
export function elementText(json: string, index: number): string | undefined {
  let at = skipSpace(json, json.indexOf('[') + 1)
  for (let i = 0; json.charCodeAt(at) !== CLOSE_BRACKET; i++) {
    const end = endOfValue(json, at)
    if (i === index) return json.slice(at, end)
    at = skipComma(json, end)
  }
  return undefined
}

/** The texts of all elements of an array. */
export function elementTexts(json: string): string[] {
  const texts: string[] = []
  let at = skipSpace(json, json.indexOf('[') + 1)
  while (json.charCodeAt(at) !== CLOSE_BRACKET) {
    const end = endOfValue(json, at)
    texts.push(json.slice(at, end))
    at = skipComma(json, end)
  }
  return texts
}

/** The text of an object's member, the last of that name as in `JSON.parse`; undefined: it has none. */
export function memberText(json: string, name: string): string | undefined {
  const plain = JSON.stringify(name)
  let found: string | undefined
  let at = skipSpace(json, json.indexOf('{') + 1)
  while (json.charCodeAt(at) !== CLOSE_BRACE) {
    const keyEnd = endOfString(json, at)
    const key = json.slice(at, keyEnd)
    // Only a key with escapes can be the name in another spelling: parsing each would cost more than the rest.
    const isIt = key === plain || (key.includes('\\') && JSON.parse(key) === name)
    // Behind the colon.
    at = skipSpace(json, skipSpace(json, keyEnd) + 1)
    const end = endOfValue(json, at)
    if (isIt) found = json.slice(at, end)
    at = skipComma(json, end)
  }
  return found
}

function endOfValue(json: string, start: number): number {
  let depth = 0
  let at = start
  while (at < json.length) {
    const unit = json.charCodeAt(at)
    if (unit === QUOTE) {
      at = endOfString(json, at)
      if (depth === 0) return at
      continue
    }
    if (unit === OPEN_BRACE || unit === OPEN_BRACKET) depth++
    else if (unit === CLOSE_BRACE || unit === CLOSE_BRACKET) {
      // A number or a word ends where its container does.
      if (depth === 0) return at
      if (--depth === 0) return at + 1
    } else if (depth === 0 && (unit === COMMA || unit <= SPACE)) return at
    at++
  }
  return json.length
}

/** Where the string whose opening quote is at `start` is over. */
function endOfString(json: string, start: number): number {
  let at = start + 1
  while (at < json.length) {
    const unit = json.charCodeAt(at)
    if (unit === QUOTE) return at + 1
    at += unit === BACKSLASH ? 2 : 1
  }
  return json.length
}

function skipSpace(json: string, start: number): number {
  let at = start
  while (json.charCodeAt(at) <= SPACE) at++
  return at
}

function skipComma(json: string, start: number): number {
  const at = skipSpace(json, start)
  return json.charCodeAt(at) === COMMA ? skipSpace(json, at + 1) : at
}
