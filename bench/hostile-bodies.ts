// Bodies that cost a reader more than their bytes: many small things, deep ones, and what has to be escaped.

/** A body of `bytes` at most. */
export interface HostileBody {
  what: string
  type: string
  make: (bytes: number) => Buffer
}

const JSON_TYPE = 'application/json'
const CSV_TYPE = 'text/csv'
const FORM_TYPE = 'application/x-www-form-urlencoded'

/** `head`, `unit` as often as it fits, `tail`; at most `timesMax` times. */
const filled =
  (head: string, unit: string, tail = '', timesMax = Number.POSITIVE_INFINITY) =>
  (bytes: number) => {
    const times = Math.floor((bytes - Buffer.byteLength(head + tail)) / Buffer.byteLength(unit))
    return Buffer.from(head + unit.repeat(Math.max(0, Math.min(times, timesMax))) + tail)
  }

/** `head`, what `unit` makes of 0, 1, 2 ... as long as it fits, `tail`. */
const counted = (head: string, unit: (i: number) => string, tail: string) => (bytes: number) => {
  let text = head
  for (let i = 0; text.length + tail.length + 40 < bytes; i++) text += unit(i)
  return Buffer.from(text + tail)
}

const json = (what: string, make: HostileBody['make']): HostileBody => ({ what, type: JSON_TYPE, make })
const csv = (what: string, make: HostileBody['make']): HostileBody => ({ what, type: CSV_TYPE, make })
const form = (what: string, make: HostileBody['make']): HostileBody => ({ what, type: FORM_TYPE, make })

/** As many rows of CSV, and as many fields, as are taken. */
const ROWS = 999_999
const FIELDS_ROW = `${','.repeat(999)}\n`
const HEADER = Array.from({ length: 1_000 }, (_, i) => `c${i}`).join()

/** For the table `bench_bodies(title text, note text)`. */
export const ROW_BODIES: readonly HostileBody[] = [
  json('rows of nothing, too many', filled('[{}', ',{}', ']')),
  json('rows of nothing', filled('[{}', ',{}', ']', ROWS)),
  json('short rows', filled('[{"title":1}', ',{"title":1}', ']', ROWS)),
  json('rows with keys in another order', filled('[{"title":1,"note":1}', ',{"note":1,"title":1}', ']')),
  json('rows with escaped keys', filled('[{"title":1}', ',{"titl\\u0065":1}', ']')),
  json('rows with keys of two bytes', filled('[{"é":1,"ü":1}', ',{"ü":1,"é":1}', ']')),
  json('a key repeated', filled('{"title":1', ',"title":1', '}')),
  json(
    'many keys',
    counted('{"title":1', i => `,"k${i}":1`, '}'),
  ),
  json('a list of numbers', filled('{"title":[1', ',1', ']}')),
  json('lists in lists, too deep', filled('{"title":', '[')),
  json('white space', filled('{"title":1', '\n', '}')),
  json('backslashes', filled('{"title":"', '\\\\', '"}')),
  json('escapes', filled('{"title":"', '\\u0041', '"}')),
  json(
    'ordinary rows',
    filled(
      '[{"title":"Write","note":"a line of some words"}',
      ',{"title":"Write","note":"a line of some words"}',
      ']',
    ),
  ),
  json('text of three bytes', filled('{"title":"', '€', '"}')),
  csv('line breaks, too many rows', filled('title\n', '\n')),
  csv('short rows', filled('title\n', '1\n', '', ROWS)),
  csv('ordinary rows', filled('title,note\n', 'Write the second endpoint,"It says ""hello"", twice"\n')),
  csv('empty fields of 1000 columns', filled(`${HEADER}\n`, FIELDS_ROW, '', 2_499)),
  csv('a line of commas', filled('title\n', ',')),
  csv(
    'a header of many names',
    counted('', i => `c${i},`, 'c\n'),
  ),
  csv('quotes', filled('title\n"', '""', '"\n')),
  csv('short quoted fields', filled('title,note\n', '"a","b"\n')),
  csv('backslashes', filled('title\n', '\\')),
  csv('control characters', filled('title\n', '\u0001')),
  form('ampersands', filled('', '&')),
  form('names', filled('a', '&a')),
  form('a value of escapes', filled('title=', '%41')),
  form('a value of backslashes', filled('title=', '%5C')),
  form('a value of spaces', filled('title=', '+')),
]

/** For the function `bench_bodies_call(json)`, which takes any JSON whole. */
export const ARGUMENT_BODIES = ROW_BODIES.filter(({ type }) => type === JSON_TYPE)

/** Values that a schema may not expect, or not so many of. */
const VALUES: Readonly<Record<string, HostileBody['make']>> = {
  'one long text': filled('"', 'a', '"'),
  'a text of slashes': filled('"http://', '/a', '"'),
  'a text of dots': filled('"', 'a.', '"'),
  'a text of blanks': filled('"', ' ', '"'),
  'a text of braces': filled('"', '{{', '"'),
  'many texts': filled('["a"', ',"a"', ']', 49_900),
  'many different texts': counted('["a"', i => `,"${i.toString(36).padStart(14, 'a')}"`, ']'),
  'many objects': filled('[{}', ',{}', ']', 49_900),
  'all objects that fit': filled('[{}', ',{}', ']'),
  'all numbers that fit': filled('[1', ',1', ']'),
  'many long addresses': filled('["http://a.b/"', `,"http://a.b/${'c'.repeat(180)}"`, ']', 5_000),
  'an object of many keys': counted('{"a":1', i => `,"k${i.toString(36).padStart(12, '0')}":"1"`, '}'),
  'an object of long texts': filled('{"a":""', `,"${'k'.repeat(90)}":"${'v'.repeat(90)}"`, '}'),
}

/** One body for each field of a schema and each value, beside an example of the others, and the values alone. */
export function fieldBodies(fields: readonly string[], example: Record<string, unknown>): HostileBody[] {
  const alone = Object.entries(VALUES).map(([what, make]) => json(what, make))
  const inFields = fields.flatMap(field =>
    Object.entries(VALUES).map(([what, make]) => json(`${field}: ${what}`, inField(field, example, make))),
  )
  return [...alone, ...inFields]
}

function inField(field: string, example: Record<string, unknown>, make: HostileBody['make']) {
  const { [field]: _, ...others } = example
  const head = `${JSON.stringify(others).slice(0, -1)}${Object.keys(others).length > 0 ? ',' : ''}"${field}":`
  return (bytes: number) =>
    Buffer.concat([Buffer.from(head), make(bytes - head.length - 1), Buffer.from('}')])
}
