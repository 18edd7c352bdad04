// The scanners of bodies against JSON.parse: whoever finds JSON that one of the two reads in another way passes a check
// that the other one makes.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { COLUMNS_MAX } from '../../../src/features/data-api/limits.ts'
import { readCallArguments, readJsonRows } from '../../../src/features/data-api/payload/json-rows.ts'
import { JSON_DEPTH_MAX, JsonProblem, JsonScanner } from '../../../src/lib/json-scan.ts'
import { encodeUtf8 } from '../../../src/lib/utf8.ts'

const BOUNDS = { depthMax: JSON_DEPTH_MAX, valuesMax: Number.POSITIVE_INFINITY }

/** What the scanner says: undefined for JSON. */
function problemOf(text: string, bounds = BOUNDS): JsonProblem['kind'] | undefined {
  const scanner = new JsonScanner(encodeUtf8(text), bounds)
  try {
    scanner.passValue()
    scanner.passEnd()
    return undefined
  } catch (err) {
    if (err instanceof JsonProblem) return err.kind
    throw err
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** JSON with a place or two changed, so that much of it is still nearly JSON. */
const anyText = fc.oneof(fc.constant('grapheme' as const), fc.constant('binary' as const)).chain(unit =>
  fc
    .tuple(
      fc.json({ stringUnit: unit }).filter(text => text.isWellFormed()),
      fc.array(
        fc.tuple(
          fc.nat(),
          fc.constantFrom(
            '',
            '"',
            '\\',
            ',',
            ':',
            '{',
            '}',
            '[',
            ']',
            '0',
            '.',
            'e',
            '-',
            ' ',
            '\n',
            'u',
            'null',
            '\\u00',
            '\u0001',
            'é',
          ),
        ),
        { maxLength: 2 },
      ),
    )
    .map(([json, changes]) => {
      let text = json
      for (const [place, piece] of changes) {
        const at = place % (text.length + 1)
        text = text.slice(0, at) + piece + text.slice(at + (place % 2))
      }
      return text
    })
    .filter(text => text.isWellFormed()),
)

describe('the scanner', () => {
  it('takes what JSON.parse takes, and nothing else', () => {
    fc.assert(
      fc.property(anyText, text => {
        const problem = problemOf(text)
        if (problem === 'unstorable') return
        expect(problem === undefined).toBe(isJson(text))
      }),
      { numRuns: 5_000 },
    )
  })

  it.each([
    '',
    ' ',
    '1',
    '-0',
    '-',
    '01',
    '1.',
    '.5',
    '1e',
    '1e+',
    '1E-2',
    '+1',
    'NaN',
    'nul',
    'nulll',
    'true ',
    '"',
    '"\\x"',
    '"\\u12"',
    '"\\u12G4"',
    '"\t"',
    '[1,]',
    '[,1]',
    '{"a":1,}',
    '{"a"}',
    '{a:1}',
    '{1:1}',
    '[1}',
    '{"a":1]',
    '[]]',
    '[] []',
    '\u00a01',
    '\ufeff1',
    '"\\ud83d\\ude00"',
    '"\\b\\f\\n\\r\\t\\/\\\\"',
  ])('reads %j as JSON.parse does', text => {
    expect(problemOf(text) === undefined).toBe(isJson(text))
  })

  it.each([
    '"\\u0000"',
    '"\\ud800"',
    '"\\udc00"',
    '"\\ud800\\ud800"',
    '"\\ud800\\n"',
    '"\\ud800x"',
    '{"\\uDBFF":1}',
  ])('says of %s that Postgres cannot store it', text => expect(problemOf(text)).toBe('unstorable'))

  it('ends at its bounds, and costs no stack before', () => {
    const nested = (depth: number) => `${'[{"a":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}`
    expect(problemOf(nested(JSON_DEPTH_MAX))).toBeUndefined()
    expect(problemOf(nested(JSON_DEPTH_MAX + 2))).toBe('depth')
    expect(problemOf('['.repeat(1_000_000))).toBe('depth')
    expect(problemOf(nested(100_000), { ...BOUNDS, depthMax: 100_000 })).toBeUndefined()
    expect(problemOf('[1,{"a":2}]', { ...BOUNDS, valuesMax: 4 })).toBeUndefined()
    expect(problemOf('[1,{"a":2}]', { ...BOUNDS, valuesMax: 3 })).toBe('values')
  })
})

/** Few keys, so that rows often have the same, in many spellings. */
const anyKey = fc.constantFrom('a', 'b', 'é', '__proto__', '1', 'a b', '')
const anyRow = fc.array(fc.tuple(anyKey, fc.jsonValue({ maxDepth: 2 })), { maxLength: 4 })

function spelt(row: [string, unknown][], escapes: boolean): string {
  const key = (name: string) =>
    escapes
      ? `"${Array.from(name, c => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"`
      : JSON.stringify(name)
  return `{${row.map(([name, value]) => ` ${key(name)} : ${JSON.stringify(value).toWellFormed()}`).join(' ,')} }`
}

describe('rows', () => {
  it('have the keys that JSON.parse finds, or are told that they differ', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(anyRow, fc.boolean())), rows => {
        const text = `[${rows.map(([row, escapes]) => spelt(row, escapes)).join()}]`
        const sets = (JSON.parse(text, (_, value) => value) as object[]).map(row => new Set(keysOf(row)))
        const isEqual = sets.every(
          set => set.size === sets[0]?.size && [...set].every(key => sets[0]?.has(key)),
        )
        const read = () => readJsonRows(encodeUtf8(text), true)
        if (!isEqual) expect(read).toThrow('All object keys must match')
        else {
          const { keys, rowCount } = read()
          expect(rowCount).toBe(rows.length)
          expect(new Set(keys)).toEqual(sets[0] ?? new Set())
          expect(keys).toHaveLength(new Set(keys).size)
        }
        expect(readJsonRows(encodeUtf8(text), false).rowCount).toBe(rows.length)
      }),
      { numRuns: 2_000 },
    )
  })

  it('may spell a key in thousands of ways', () => {
    const spellings = Array.from({ length: 4_096 }, (_, bits) =>
      Array.from('abcdefghijkl', (c, i) =>
        (bits >> i) & 1 ? `\\u00${c.charCodeAt(0).toString(16)}` : c,
      ).join(''),
    )
    const text = `[${spellings.map(key => `{"${key}":1}`).join()}]`
    expect(readJsonRows(encodeUtf8(text), true)).toEqual({
      isArray: true,
      keys: ['abcdefghijkl'],
      rowCount: 4_096,
    })
  })

  it('have at most as many keys as a table could have columns', () => {
    const row = (keys: number) =>
      encodeUtf8(JSON.stringify(Object.fromEntries(Array.from({ length: keys }, (_, i) => [`k${i}`, i]))))
    expect(readJsonRows(row(COLUMNS_MAX), true).keys).toHaveLength(COLUMNS_MAX)
    expect(() => readJsonRows(row(COLUMNS_MAX + 1), true)).toThrow(/at most 1000 keys/)
    // Of a call it is only known then that no function takes so many by name.
    expect(readCallArguments(row(3 * COLUMNS_MAX)).names).toHaveLength(COLUMNS_MAX)
  })
})

/** JSON.parse takes `__proto__` for a key like any other. */
const keysOf = (row: object) => Object.getOwnPropertyNames(row)

it('the arguments of a call are the object that its body is, or the first of its array', () => {
  fc.assert(
    fc.property(fc.json({ stringUnit: 'grapheme' }), text => {
      const value: unknown = JSON.parse(text)
      const first: unknown = Array.isArray(value) ? (value.length > 0 ? value[0] : {}) : value
      const isObject = typeof first === 'object' && first !== null && !Array.isArray(first)
      const bytes = encodeUtf8(text)
      const { names, start, end } = readCallArguments(bytes)
      expect(names === undefined ? undefined : new Set(names)).toEqual(
        isObject ? new Set(keysOf(first)) : undefined,
      )
      if (keysOf(isObject ? first : {}).length === 0) return
      expect(JSON.parse(new TextDecoder().decode(bytes.subarray(start, end)))).toEqual(first)
    }),
  )
})
