// Places in a text as Postgres and people count them: in characters from 1. JavaScript counts UTF-16 units from 0.

/** The position, in characters from 1, of the UTF-16 unit at `index`. */
export function positionAt(text: string, index: number): number {
  let position = 1
  for (let at = 0; at < index && at < text.length; at += widthAt(text, at)) position++
  return position
}

/** `Line 2, column 5.`, both counted from 1, of the character at `position`. */
export function placeOf(text: string, position: number): string {
  let [line, column, left] = [1, 1, position - 1]
  for (let at = 0; at < text.length && left > 0; at += widthAt(text, at)) {
    left--
    column++
    if (text.charCodeAt(at) === LINE_FEED) {
      line++
      column = 1
    }
  }
  return `Line ${line}, column ${column}.`
}

const LINE_FEED = 0x0a

/** Most characters are one unit: only behind the first half of a pair it is asked whether the second is there. */
function widthAt(text: string, at: number): 1 | 2 {
  const isFirstHalf = (text.charCodeAt(at) & 0xfc00) === 0xd800
  return isFirstHalf && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00 ? 2 : 1
}
