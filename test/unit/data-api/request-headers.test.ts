// Prefer, Accept and Range.

import { describe, expect, test } from 'vitest'
import { postgrestDialect, QUOIN_DIALECT } from '../../../src/features/data-api/dialect.ts'
import { negotiateFormat } from '../../../src/features/data-api/grammar/media-type.ts'
import { contentRange, pageStatus, parsePage } from '../../../src/features/data-api/grammar/page.ts'
import { parsePrefer, preferenceApplied } from '../../../src/features/data-api/grammar/prefer.ts'

const LENIENT = { ...QUOIN_DIALECT, isPageStrict: false, isPreferStrict: false, maxAffectedNeedsStrict: true }
const code = (expected: string) => expect.objectContaining({ code: expected })

describe('Prefer', () => {
  const prefer = (header: string, dialect = QUOIN_DIALECT) => parsePrefer(header, dialect)

  test('reads several preferences; of one sent twice the first counts', () => {
    expect(prefer('return=minimal, count=exact,return=representation, max-affected=3')).toMatchObject({
      return: 'minimal',
      count: 'exact',
      maxAffected: 3,
      tx: undefined,
    })
  })

  test('a known preference with a value that does not exist is refused: tx=rolback must not commit', () => {
    for (const header of ['tx=rolback', 'max-affected=-1', 'count=all', 'return']) {
      expect(() => prefer(header)).toThrow(code('invalid_preference'))
      expect(() => prefer(header, LENIENT)).not.toThrow()
    }
  })

  // The attack: Postgres reads these too, and then `publish_on <= current_date` shows a stranger next week's rows.
  test.each([
    ...['X-167', '<+99>-99', 'UTC+167', 'posix/X-167', 'Etc/GMT-15', 'Etc/GMT+99', 'EST5EDT4,M3.2.0,M11.1.0'],
    ...[
      '167',
      '-167',
      '+25:00',
      '+05:00',
      '05:30',
      "INTERVAL '167'",
      'PT167H',
      'Z-99',
      ':Etc/GMT-14',
      '../../zone',
    ],
    ...[
      'posixrules',
      'localtime',
      'right/UTC',
      'SystemV/PST8',
      'Mars/Olympus',
      'DEFAULT',
      'local',
      '',
      ' ',
      'Europe/Paris\u0130',
    ],
    `Europe/${'a'.repeat(200)}`,
  ])('timezone takes no offset and no rule, only names of zones: %s', zone => {
    expect(() => prefer(`timezone=${zone}`)).toThrow(code('invalid_preference'))
    expect(() => prefer(`handling=strict, timezone=${zone}`, LENIENT)).toThrow(code('invalid_preference'))
    expect(prefer(`timezone=${zone}`, LENIENT).timezone).toBeUndefined()
  })

  test.each([
    'Europe/Paris',
    'america/los_angeles',
    'US/Pacific',
    'UTC',
    'Etc/GMT-14',
    'GMT0',
    'EST5EDT',
    'NZ-CHAT',
  ])('timezone takes the name of a zone, also an old one: %s', zone =>
    expect(prefer(`timezone="${zone}"`).timezone).toBe(zone),
  )

  test('handling=strict refuses unknown ones and names them', () => {
    expect(() => prefer('respond-async')).not.toThrow()
    expect(() => prefer('handling=strict, respond-async')).toThrow(code('invalid_preference'))
  })

  test('max-affected counts without handling=strict, except where PostgREST is followed', () => {
    expect(prefer('max-affected=0').maxAffected).toBe(0)
    expect(prefer('max-affected=0', LENIENT).maxAffected).toBeUndefined()
    expect(prefer('max-affected=0, handling=strict', LENIENT).maxAffected).toBe(0)
  })

  test('Preference-Applied has a fixed order and only what was honoured', () => {
    const preferences = prefer('max-affected=1, count=exact, return=minimal, tx=commit')
    expect(preferenceApplied(preferences, ['return', 'count', 'maxAffected'])).toBe(
      'return=minimal, count=exact, max-affected=1',
    )
    expect(preferenceApplied(preferences, [])).toBeUndefined()
  })
})

describe('Accept', () => {
  test.each([
    [null, 'json', false],
    ['*/*', 'json', false],
    ['text/html, application/xhtml+xml, */*;q=0.8', 'json', false],
    ['text/csv', 'csv', false],
    ['application/json;q=0.1, text/csv', 'csv', false],
    ['application/vnd.pgrst.object', 'object', false],
    ['application/vnd.pgrst.object+json;nulls=stripped', 'object', true],
    ['application/vnd.pgrst.array+json; nulls=stripped', 'json', true],
  ])('%s gives %s', (accept, kind, stripsNulls) =>
    expect(negotiateFormat(accept)).toMatchObject({ kind, stripsNulls }),
  )

  // Clients compare the type as a whole: a blank in it would make it another.
  test.each([
    ['application/vnd.pgrst.array+json', 'application/json; charset=utf-8'],
    [
      'application/vnd.pgrst.array+json; nulls=stripped',
      'application/vnd.pgrst.array+json;nulls=stripped; charset=utf-8',
    ],
    ['application/geo+json', 'application/geo+json; charset=utf-8'],
    [
      'application/vnd.pgrst.plan+json; for="application/vnd.pgrst.object+json;nulls=stripped"; ' +
        'options=verbose|analyze;',
      'application/vnd.pgrst.plan+json; for="application/vnd.pgrst.object+json;nulls=stripped"; ' +
        'options=analyze|verbose; charset=utf-8',
    ],
    [
      'application/vnd.pgrst.plan; options=analyze|format yaml',
      'application/vnd.pgrst.plan+text; for="application/json"; options=analyze; charset=utf-8',
    ],
  ])('%s is answered as %s', (accept, contentType) =>
    expect(negotiateFormat(accept, true).contentType).toBe(contentType),
  )

  test.each([
    'application/xml',
    'application/json;q=0',
    ',',
    'application/vnd.pgrst.plan+json',
    'application/vnd.pgrst.plan+json; for="application/vnd.pgrst.plan+json"',
  ])('%s cannot be made', accept => expect(() => negotiateFormat(accept)).toThrow(code('not_acceptable')))
})

describe('pages', () => {
  const page = (limit?: string, offset?: string, range: string | null = null, dialect = QUOIN_DIALECT) =>
    parsePage({ limit, offset }, range, dialect)

  test('PostgREST’s mount has one bound, which cuts in place of refusing', () => {
    const rest = postgrestDialect({ dbMaxRows: 50 })
    expect(page(undefined, undefined, null, rest)).toEqual({ limit: 50, offset: 0 })
    expect(page('51', '5', null, rest)).toEqual({ limit: 50, offset: 5 })
    expect(page('x', 'y', '60-', rest)).toEqual({ limit: 50, offset: 60 })
    expect(page('0', undefined, '2-5', rest)).toEqual({ limit: 0, offset: 2 })
    expect(() => page('2', undefined, '5-9', rest)).toThrow(code('invalid_range'))
    expect(() => page('-1', undefined, null, rest)).toThrow(code('invalid_range'))
  })

  test('a Range may begin behind the rows that come back unless said', () => {
    expect(page(undefined, undefined, '2000-2009')).toEqual({ limit: 10, offset: 2000 })
    expect(page(undefined, undefined, '2000-')).toEqual({ limit: 1000, offset: 2000 })
  })

  test('1000 rows unless said, 0 to 10000 allowed', () => {
    expect(page()).toEqual({ limit: 1000, offset: 0 })
    expect(page('10000', '5')).toEqual({ limit: 10_000, offset: 5 })
    for (const limit of ['10001', '-1', 'abc', '', '1.0'])
      expect(() => page(limit)).toThrow(code('invalid_parameter'))
  })

  test('Range and limit are intersected', () => {
    expect(page('3', undefined, '1-9')).toEqual({ limit: 2, offset: 1 })
    expect(page(undefined, '5', '0-9')).toEqual({ limit: 5, offset: 5 })
    expect(page('2', undefined, '10-')).toEqual({ limit: 0, offset: 10 })
    expect(page('2', undefined, 'bytes=0-1')).toEqual({ limit: 2, offset: 0 })
    expect(() => page(undefined, undefined, '5-2')).toThrow(code('invalid_range'))
  })

  test("PostgREST's way: no number is no limit, too much is cut, below zero is out of range", () => {
    expect(page('abc', 'x', null, LENIENT)).toEqual({ limit: 1000, offset: 0 })
    expect(page('99999', undefined, null, LENIENT).limit).toBe(10_000)
    expect(() => page('-1', undefined, null, LENIENT)).toThrow(code('invalid_range'))
  })

  test.each([
    [0, 5, null, 200, '0-4/*'],
    [0, 5, 5, 200, '0-4/5'],
    [1, 2, 5, 206, '1-2/5'],
    [0, 0, 5, 206, '*/5'],
    [5, 0, 5, 206, '*/5'],
    [9, 0, null, 200, '*/*'],
    [0, 0, 0, 200, '*/0'],
  ])('offset %i with %i of %s rows is %i %s', (offset, rows, total, status, range) => {
    expect(pageStatus({ limit: 1000, offset }, rows, total)).toBe(status)
    expect(contentRange(offset, rows, total)).toBe(range)
  })

  test('an offset behind the end is out of range when the end is known', () => {
    expect(() => pageStatus({ limit: 10, offset: 6 }, 0, 5)).toThrow(code('invalid_range'))
  })
})
