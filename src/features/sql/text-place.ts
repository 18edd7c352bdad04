// Places in a text as Postgres and people count them: in characters from 1. JavaScript counts UTF-16 units from 0.

/** The position, in characters from 1, of the UTF-16 unit at `index`. */
export function positionAt(text: string, index: number): number {
  let position = 1
  for (const _ of text.slice(0, index)) position++
  return position
}

/** `Line 2, column 5.`, both counted from 1, of the character at `position`. */
export function placeOf(text: string, position: number): string {
  let [line, column, left] = [1, 1, position - 1]
  for (const character of text) {
    if (left-- <= 0) break
    column++
    if (character === '\n') [line, column] = [line + 1, 1]
  }
  return `Line ${line}, column ${column}.`
}
