// Places in a text as Postgres and people count them: in characters from 1. JavaScript counts UTF-16 units from 0.

/** The position, in characters from 1, of the UTF-16 unit at `index`. */
export function positionAt(text: string, index: number): number {
  let position = 1
  for (let at = 0; at < index && at < text.length; at += widthAt(text, at)) position++
  return position
}

/** A place in a text; both are counted from 1, columns in characters. */
export interface TextPlace {
  readonly line: number
  readonly column: number
}

/** For people: `Line 2, column 5.` */
export function placeWords({ line, column }: TextPlace): string {
  return `Line ${line}, column ${column}.`
}

/** The place of the character at `position`, counted from 1. */
export function placeAt(text: string, position: number): TextPlace {
  let [line, column, left] = [1, 1, position - 1]
  for (let at = 0; at < text.length && left > 0; at += widthAt(text, at)) {
    left--
    column++
    if (text.charCodeAt(at) === LINE_FEED) {
      line++
      column = 1
    }
  }
  return { line, column }
}

const LINE_FEED = 0x0a

/** Most characters are one unit: only behind the first half of a pair it is asked whether the second is there. */
function widthAt(text: string, at: number): 1 | 2 {
  const isFirstHalf = (text.charCodeAt(at) & 0xfc00) === 0xd800
  return isFirstHalf && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00 ? 2 : 1
}
