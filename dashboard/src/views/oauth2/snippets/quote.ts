// A text as a literal of each language. Values of a client come from whoever made it: none may end its literal. Pure.

/** For a POSIX shell. */
export function shellText(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/** For JavaScript, in single quotes. */
export function scriptText(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")
  return `'${inner}'`
}

/** For Python and Go, which read JSON's escapes as JSON does. */
export function quotedText(text: string): string {
  return JSON.stringify(text)
}
