import { expect, it } from 'vitest'
import { usageRows } from '../../../src/features/usage/usage-row.ts'

it('puts minutes into the rows of their hours, with 60 numbers each', () => {
  const hour = Date.UTC(2026, 0, 31, 12) / 3_600_000
  const rows = usageRows([
    { minute: hour * 60, requests: 3 },
    { minute: hour * 60 + 59, requests: 4 },
    { minute: hour * 60 + 60, requests: 5 },
  ])
  expect(rows.map(row => row.hour)).toEqual(['2026-01-31T12:00:00.000Z', '2026-01-31T13:00:00.000Z'])
  expect(rows.map(row => row.requests.length)).toEqual([60, 60])
  expect(rows[0]?.requests.map((n, i) => n && [i, n]).filter(Boolean)).toEqual([
    [0, 3],
    [59, 4],
  ])
})
