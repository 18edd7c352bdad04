import { afterEach, describe, expect, it, vi } from 'vitest'
import { readPrometheus, wantsPrometheus } from '../../../src/features/metrics/prometheus.ts'

const buckets = (...counts: number[]) => [...counts, ...Array<number>(12 - counts.length).fill(0)]
const TOTALS = [
  { route: 'GET /v1/keys', status: 200, requests: 3, milliseconds: 40, buckets: buckets(2, 0, 1) },
  {
    route: 'GET /v1/keys',
    status: 500,
    requests: 1,
    milliseconds: 99_960,
    buckets: [...buckets().slice(1), 1],
  },
  { route: 'unmatched', status: 404, requests: 2, milliseconds: 2, buckets: buckets(2) },
]
const KEY = { key_id: 'id', name: 'a "key"\\\n', role: 'anon', project_id: 'p', requests: 7 }

function textWith(query: (sql: string) => Promise<unknown[]>): Promise<string> {
  const platform = { query: (sql: string) => query(sql) as Promise<never[]> }
  return readPrometheus(
    { platform, requestMetrics: () => ({ readTotals: async () => TOTALS }) },
    'every_project',
  )
}

afterEach(() => vi.useRealTimers())

describe('the text for Prometheus', () => {
  it('has cumulative buckets that end with all, a sum in seconds and a count', async () => {
    const text = await textWith(async sql => (sql.includes('usage_totals') ? [KEY] : []))
    const lines = text.split('\n').filter(line => line.startsWith('http_request_duration_seconds'))
    const ofRoute = lines.filter(line => line.includes('/v1/keys'))
    expect(ofRoute[0]).toBe(
      'http_request_duration_seconds_bucket{method="GET",route="/v1/keys",le="0.005"} 2',
    )
    expect(ofRoute[2]).toBe(
      'http_request_duration_seconds_bucket{method="GET",route="/v1/keys",le="0.025"} 3',
    )
    expect(ofRoute.slice(-4)).toEqual([
      'http_request_duration_seconds_bucket{method="GET",route="/v1/keys",le="10"} 3',
      'http_request_duration_seconds_bucket{method="GET",route="/v1/keys",le="+Inf"} 4',
      'http_request_duration_seconds_sum{method="GET",route="/v1/keys"} 100',
      'http_request_duration_seconds_count{method="GET",route="/v1/keys"} 4',
    ])
    expect(text).toContain('\nhttp_requests_total{method="GET",route="/v1/keys",status="500"} 1\n')
  })

  it('escapes what people name their keys', async () => {
    const text = await textWith(async sql => (sql.includes('usage_totals') ? [KEY] : []))
    expect(text).toContain('key_name="a \\"key\\"\\\\\\n"')
  })

  it('is there while the database is not, and says so', async () => {
    const text = await textWith(() => Promise.reject(new Error('down')))
    expect(text).toContain('\npg_up 0\n')
    expect(text).toContain('http_requests_total')
    expect(text).not.toContain('pg_database_size_bytes')
  })

  // Prometheus gives up after ten seconds, and then no alarm on pg_up goes off. The key's own check may take five.
  it('is there within four seconds while the database hangs', async () => {
    vi.useFakeTimers()
    let text = ''
    const reading = textWith(() => new Promise(() => {})).then(read => {
      text = read
    })
    await vi.advanceTimersByTimeAsync(4_000)
    expect(text).toContain('\npg_up 0\n')
    await reading
  })
})

it.each([
  [null, false],
  ['Text/Plain; Version=0.0.4', true],
  ['*/*', false],
  ['application/json, text/plain, */*', false],
  ['text/plain', true],
  ['application/openmetrics-text;version=1.0.0;q=0.8,text/plain;version=0.0.4;q=0.5,*/*;q=0.1', true],
])('of Accept %j text is wanted: %s', (accept, expected) => {
  expect(wantsPrometheus(accept)).toBe(expected)
})
