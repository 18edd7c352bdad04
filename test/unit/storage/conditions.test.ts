import { describe, expect, it } from 'vitest'
import { checkConditions, readRange } from '../../../src/features/storage/objects/conditions.ts'

const FILE = { size: 10, eTag: '"a"', lastModified: '2026-01-02T03:04:05.678Z' }
const AT = 'Fri, 02 Jan 2026 03:04:05 GMT'
const BEFORE = 'Fri, 02 Jan 2026 03:04:04 GMT'
const rangeOf = (range: string, more: object = {}, known = FILE) =>
  readRange(new Headers({ range, ...more }), known)

describe('of a range', () => {
  it.each([
    ['bytes=0-0', 0, 1],
    ['bytes=2-', 2, 8],
    ['bytes=-3', 7, 3],
    ['bytes=-99', 0, 10],
    ['bytes=9-99999999999999999999', 9, 1],
    ['Bytes= 1-2 ', 1, 2],
  ])('%s is a part of the file', (range, offset, length) => {
    expect(rangeOf(range)).toEqual({ offset, length })
  })

  it.each([
    'bytes=10-',
    'bytes=10-20',
    'bytes=99999999999999999999-',
    'bytes=-0',
    'bytes=0-1,3-4',
    'bytes=,',
  ])('%s is not in the file', range => {
    const refused = expect.objectContaining({ code: 'invalid_range', totalBytes: 10 })
    expect(() => rangeOf(range)).toThrow(refused)
  })

  it('nothing is in an empty file', () => {
    expect(() => rangeOf('bytes=0-', {}, { ...FILE, size: 0 })).toThrow('not in the file')
  })

  it.each(['', 'bytes', 'bytes=', 'bytes=-', 'bytes=5-2', 'bytes=a-b', 'bytes=1', 'bytes=-1-2', 'lines=1-2'])(
    '%j is none, so the file is whole',
    range => {
      expect(rangeOf(range)).toBeUndefined()
    },
  )

  it.each([
    ['"a"', true],
    ['"b"', false],
    ['W/"a"', false],
    [AT, true],
    [BEFORE, false],
    ['nonsense', false],
  ])('If-Range %s: %s', (ifRange, isPart) => {
    expect(rangeOf('bytes=0-0', { 'if-range': ifRange }) !== undefined).toBe(isPart)
  })
})

it.each([
  [{}, 'met'],
  [{ 'if-none-match': '"a"' }, 'not_modified'],
  [{ 'if-none-match': '"b", W/"a"' }, 'not_modified'],
  [{ 'if-none-match': '*' }, 'not_modified'],
  [{ 'if-none-match': '"b"', 'if-modified-since': AT }, 'met'],
  [{ 'if-modified-since': AT }, 'not_modified'],
  [{ 'if-modified-since': BEFORE }, 'met'],
  [{ 'if-modified-since': 'nonsense' }, 'met'],
  [{ 'if-match': '"a"' }, 'met'],
  [{ 'if-match': 'W/"a"' }, 'precondition_failed'],
  [{ 'if-match': '"b"', 'if-none-match': '"a"' }, 'precondition_failed'],
  [{ 'if-match': '"a"', 'if-unmodified-since': BEFORE }, 'met'],
  [{ 'if-unmodified-since': AT }, 'met'],
  [{ 'if-unmodified-since': BEFORE }, 'precondition_failed'],
] as const)('conditions %j: %s', (headers, outcome) => {
  expect(checkConditions(new Headers(headers), FILE)).toBe(outcome)
})
