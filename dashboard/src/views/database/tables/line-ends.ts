// Line ends of a text that is edited. A field of the browser knows `\n` alone, and makes `\n` of all others.

/** False where lines end in several ways, or in `\r`: after an edit nobody could tell which end was which. */
export function hasOneLineEnd(text: string): boolean {
  const rest = text.replaceAll('\r\n', '')
  return !rest.includes('\r') && (rest === text || !rest.includes('\n'))
}

/** The text as a field has it. */
export function asTyped(text: string): string {
  return text.replace(/\r\n?/g, '\n')
}

/** What was typed, with the line ends of the value that it replaces. */
export function withLineEndsOf(original: string, typed: string): string {
  const text = asTyped(typed)
  return original.includes('\r\n') ? text.replaceAll('\n', '\r\n') : text
}
