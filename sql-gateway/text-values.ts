/**
 * Owns turning Postgres' text form of a value into a JSON value, as Neon's proxy does without raw text output:
 * booleans, int2, int4, floats and JSON as such, arrays of known types as lists, everything else as a string.
 * Pure. Not covered: arrays of types that the database defines itself come as strings (Neon asks the catalogue).
 */

/** Writes one non-null value as JSON text. */
export type ValueWriter = (text: string) => string

const writeString: ValueWriter = text => JSON.stringify(text)
const writeBoolean: ValueWriter = text => (text === 't' ? 'true' : 'false')
const writeAsIs: ValueWriter = text => text
// NaN and the infinities have no JSON number; as strings they survive.
const writeFloat: ValueWriter = text => (/^-?\d/.test(text) ? text : JSON.stringify(text))

const SCALARS = new Map<number, ValueWriter>([
  [16, writeBoolean],
  [21, writeAsIs],
  [23, writeAsIs],
  [700, writeFloat],
  [701, writeFloat],
  [114, writeAsIs],
  [3802, writeAsIs],
])

/** Array types of pg_type by their element's type; the numbers are fixed in Postgres' source. */
const ELEMENT_TYPES = new Map<number, number>([
  [1000, 16],
  [1001, 17],
  [1002, 18],
  [1003, 19],
  [1005, 21],
  [1007, 23],
  [1008, 24],
  [1009, 25],
  [1010, 27],
  [1011, 28],
  [1012, 29],
  [1014, 1042],
  [1015, 1043],
  [1016, 20],
  [1017, 600],
  [1018, 601],
  [1019, 602],
  [1021, 700],
  [1022, 701],
  [1027, 604],
  [1028, 26],
  [1034, 1033],
  [1040, 829],
  [1041, 869],
  [1115, 1114],
  [1182, 1082],
  [1183, 1083],
  [1185, 1184],
  [1187, 1186],
  [1231, 1700],
  [1263, 2275],
  [1270, 1266],
  [1561, 1560],
  [1563, 1562],
  [199, 114],
  [2949, 2970],
  [2951, 2950],
  [3643, 3614],
  [3645, 3615],
  [3807, 3802],
  [3905, 3904],
  [3907, 3906],
  [3909, 3908],
  [3911, 3910],
  [3913, 3912],
  [3927, 3926],
  [4073, 4072],
  [629, 628],
  [651, 650],
  [719, 718],
  [143, 142],
  [791, 790],
  [775, 774],
  [2201, 1790],
])

/** The writer of a type; arrays become lists of what their elements become. */
export function jsonWriterOf(typeId: number): ValueWriter {
  const elementType = ELEMENT_TYPES.get(typeId)
  if (elementType === undefined) return SCALARS.get(typeId) ?? writeString
  const writeElement = SCALARS.get(elementType) ?? writeString
  return text => arrayJson(text, writeElement)
}

/** The JSON list of an array's text; the bounds before it (`[2:3]=`) have no JSON form and are dropped. */
function arrayJson(text: string, writeElement: ValueWriter): string {
  const start = text.startsWith('[') ? text.indexOf('=') + 1 : 0
  let json = ''
  let needsComma = false
  for (let i = start; i < text.length; ) {
    const char = text[i] as string
    if (char === '{' || char === '}') {
      if (char === '{' && needsComma) json += ','
      json += char === '{' ? '[' : ']'
      needsComma = char === '}'
      i++
    } else if (char === ',') i++
    else {
      const element = readElement(text, i)
      if (needsComma) json += ','
      json += element.value === undefined ? 'null' : writeElement(element.value)
      needsComma = true
      i = element.end
    }
  }
  return json
}

/** One element from `start`; a value of undefined is the unquoted NULL. */
function readElement(text: string, start: number): { value: string | undefined; end: number } {
  if (text[start] !== '"') {
    let end = start
    while (end < text.length && text[end] !== ',' && text[end] !== '}') end++
    const value = text.slice(start, end)
    return { value: value === 'NULL' ? undefined : value, end }
  }
  let value = ''
  let i = start + 1
  for (; i < text.length && text[i] !== '"'; i++) {
    if (text[i] === '\\') i++
    value += text[i] ?? ''
  }
  return { value, end: i + 1 }
}
