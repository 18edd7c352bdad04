// How names, objects and lists are written in TypeScript. Pure. Names of a database may be anything: here alone they
// become text, and none can end its place.

const INDENT = '  '

/** What readers do not see, and what would reorder or end a line. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** A string literal. */
export function literal(text: string): string {
  return JSON.stringify(text).replace(HIDDEN, char => `\\u{${char.codePointAt(0)?.toString(16)}}`)
}

/** The key of a property: as it is where it is a plain word. */
export function key(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name)
}

/** The key of a value's property: `__proto__` would be no property there. */
export function valueKey(name: string): string {
  return name === '__proto__' ? `[${literal(name)}]` : key(name)
}

/** A type, or an object, over several lines. */
export function block(fields: readonly string[], empty = '{}'): string {
  return fields.length === 0 ? empty : `{\n${indented(fields)}\n}`
}

/** The same by names, none of which may be there: `keyof` of it is never. */
export function record(fields: readonly string[]): string {
  return block(fields, `{\n${INDENT}[_ in never]: never\n}`)
}

/** A tuple over several lines. */
export function tuple(items: readonly string[]): string {
  return items.length === 0 ? '[]' : `[\n${indented(items.map(item => `${item},`))}\n]`
}

export function union(members: readonly string[]): string {
  return members.length === 0 ? 'never' : members.join(' | ')
}

export function arrayOf(element: string): string {
  return element.includes(' | ') && !element.startsWith('{') ? `(${element})[]` : `${element}[]`
}

/** `unknown` has null in it. */
export function nullable(type: string): string {
  return type === 'unknown' ? type : `${type} | null`
}

/** The order of names, the same everywhere. */
export function inOrder<Item>(items: Iterable<Item>, nameOf: (item: Item) => string): Item[] {
  return [...items].sort((a, b) => compare(nameOf(a), nameOf(b)))
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}

function indented(lines: readonly string[]): string {
  return lines.map(line => line.replace(/^/gm, INDENT)).join('\n')
}
