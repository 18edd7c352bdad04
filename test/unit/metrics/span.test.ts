import { describe, expect, it } from 'vitest'
import { spanOf, stepsOf } from '../../../src/features/metrics/span.ts'

const NOW = new Date('2026-03-05T10:17:30Z')
const seconds = (text: string) => Date.parse(text) / 1_000

describe('the span of metrics', () => {
  it('is the last day in steps for a chart, unless something else is said', () => {
    const span = spanOf({}, NOW)
    expect(span).toEqual({
      from: seconds('2026-03-04T10:15:00Z'),
      to: seconds('2026-03-05T10:30:00Z'),
      stepSeconds: 900,
    })
    expect(stepsOf(span)).toHaveLength(97)
  })

  it('goes by hours where the minutes are gone', () => {
    const span = spanOf({ from: '2026-03-01T00:00:00Z', to: '2026-03-01T01:00:00Z' }, NOW)
    expect(span.stepSeconds).toBe(3_600)
  })

  it('is widened to whole steps, whatever the offset that it was asked with', () => {
    const span = spanOf({ from: '2026-03-05T10:00:30+02:00', to: '2026-03-05T10:02:10+02:00', step: 60 }, NOW)
    expect(span).toEqual({
      from: seconds('2026-03-05T08:00:00Z'),
      to: seconds('2026-03-05T08:03:00Z'),
      stepSeconds: 60,
    })
  })

  it.each([
    ['reversed dates', { from: '2026-03-05T00:00:00Z', to: '2026-03-04T00:00:00Z' }, 'query.from'],
    ['no time at all', { from: '2026-03-05T00:00:00Z', to: '2026-03-05T00:00:00Z' }, 'query.from'],
    ['a from that is to come', { from: '2027-01-01T00:00:00Z' }, 'query.from'],
    ['a million steps', { from: '1970-01-01T00:00:00Z', step: 60 }, 'query.step'],
    [
      'minutes of a time when only hours are left',
      { from: '2026-03-01T00:00:00Z', step: 5_340 },
      'query.step',
    ],
    ['the year 1', { from: '0001-01-01T00:00:00+15:00' }, 'query.from'],
    ['the end of time', { to: '9999-12-31T23:59:59Z' }, 'query.to'],
  ])('refuses %s', (_, query, name) => {
    expect(() => spanOf(query, NOW)).toThrow(name)
  })
})
