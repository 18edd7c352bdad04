import { describe, expect, it } from 'vitest'
import {
  byPlace,
  type LogPlace,
  microseconds,
  readLogCursor,
  startOf,
  writeLogCursor,
} from '../../../src/features/logs/log-cursor.ts'

const ID = '8c1f4ab0-6f5c-4a0e-9f0b-3d1b7a5f2c9e'
const at = (us: number, source: LogPlace['source'], id = ID): LogPlace => ({ us, source, id })

describe('the place of an entry in the log', () => {
  it('is its time, then its source, then its id', () => {
    const places = [
      at(1, 'audit'),
      at(2, 'request'),
      at(2, 'audit', 'a'),
      at(2, 'audit', 'b'),
      at(2, 'delivery'),
    ]
    expect(
      places.sort(byPlace).map(({ us, source, id }) => `${us} ${source} ${id === ID ? '' : id}`.trim()),
    ).toEqual(['2 audit b', '2 audit a', '2 delivery', '2 request', '1 audit'])
  })

  it('says where each source goes on behind it: none skips or repeats an entry of the same time', () => {
    const after = at(7, 'delivery')
    expect(startOf('audit', after)).toEqual({ us: 7, id: null })
    expect(startOf('delivery', after)).toEqual({ us: 7, id: ID })
    expect(startOf('request', after)).toEqual({ us: 8, id: null })
  })

  it.each([
    ['2026-01-31T12:00:00.040Z', 1_769_860_800_040_000],
    ['2026-01-31T12:00:00.040001+00:00', 1_769_860_800_040_001],
    ['2026-01-31T14:00:00+02:00', 1_769_860_800_000_000],
  ])('reads %s to the microsecond', (time, us) => {
    expect(microseconds(time)).toBe(us)
  })
})

describe('a cursor', () => {
  const query = { limit: 10, status: '404' }

  it('leads back to its place, whatever the size of the page', () => {
    const cursor = writeLogCursor(at(7, 'request'), query)
    expect(readLogCursor({ ...query, limit: 99, cursor })).toEqual(at(7, 'request'))
  })

  it('belongs to its filters', () => {
    const cursor = writeLogCursor(at(7, 'request'), query)
    expect(() => readLogCursor({ limit: 10, status: '405', cursor })).toThrow('query.cursor')
    expect(() => readLogCursor({ limit: 10, cursor })).toThrow('query.cursor')
  })

  it.each(['', 'abc', btoa('{}'), btoa('[-1,"audit","x",0]'), btoa(`[7,"audit","' or 1=1",0]`)])(
    'refuses %j',
    cursor => {
      expect(() => readLogCursor({ limit: 10, cursor })).toThrow('query.cursor')
    },
  )
})
