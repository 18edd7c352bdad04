// The text that a claim is shown as. Pure.

/** More of one value is no longer read, and takes seconds to draw. */
const SHOWN_MAX = 10_000

/** A value of JSON as people read it; of a long one the beginning, and how much more there is. */
export function shownText(value: unknown): string {
  const text = typeof value === 'string' ? value : jsonOf(value)
  if (text === '') return '""'
  if (text.length <= SHOWN_MAX) return text
  return `${text.slice(0, SHOWN_MAX)}… and ${(text.length - SHOWN_MAX).toLocaleString('en')} characters more`
}

function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value, undefined, 2)
  } catch {
    // The engine's stack ends before the value does.
    return 'Nested too deeply to be shown.'
  }
}
