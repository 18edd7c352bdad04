import type { Place } from './ast.ts'

/**
 * Turns offsets in bytes into places, as Keto does: it walks so many characters as there are bytes. Behind a letter of
 * two bytes a place is one too far, at most at the text's end.
 */
export function placesIn(text: string): (offset: number) => Place {
  const lines = [0]
  let characters = 0
  for (const character of text) {
    characters++
    if (character === '\n') lines.push(characters)
  }
  return offset => {
    const walked = Math.max(offset, 1)
    const line = countBelow(lines, walked)
    return { line, column: Math.min(walked, characters) - (lines[line - 1] ?? 0) }
  }
}

/** How many of some rising numbers are less than a limit. */
function countBelow(rising: readonly number[], limit: number): number {
  let low = 0
  let high = rising.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((rising[middle] ?? limit) < limit) low = middle + 1
    else high = middle
  }
  return low
}
