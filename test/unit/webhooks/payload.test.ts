import { describe, expect, it } from 'vitest'
import { eventHeaders } from '../../../src/features/webhooks/delivery/event-headers.ts'
import { payloadText, readFacts } from '../../../src/features/webhooks/delivery/payload.ts'

const PARTS = {
  event: 'UPDATE',
  schema: 'public',
  table: 'a "quoted" table',
  row: '{"id":9007199254740993,"price":1.10}',
  oldRow: '{"id":9007199254740993,"price":1.1000000000000000001}',
  occurredAt: '2026-01-02T03:04:05.678901+00:00',
} as const

describe('a payload', () => {
  it('has the six fields of the specification and no other, the time with milliseconds', () => {
    const payload = JSON.parse(payloadText(PARTS))
    expect(Object.keys(payload)).toEqual(['event', 'schema', 'table', 'row', 'old_row', 'timestamp'])
    expect(payload).toMatchObject({ table: 'a "quoted" table', timestamp: '2026-01-02T03:04:05.678Z' })
  })

  // Parsing and printing again would make 9007199254740992 and 1.1 of them.
  it('keeps every digit that Postgres wrote', () => {
    expect(payloadText(PARTS)).toContain(PARTS.row)
    expect(payloadText(PARTS)).toContain(PARTS.oldRow)
  })

  it('says null where there is no image', () => {
    expect(JSON.parse(payloadText({ ...PARTS, event: 'INSERT', oldRow: null }))).toHaveProperty(
      'old_row',
      null,
    )
  })

  it('gives its event and time back from its two ends', () => {
    const text = payloadText(PARTS)
    const occurredAtMs = Date.parse('2026-01-02T03:04:05.678Z')
    expect(readFacts(text, text.slice(-60))).toEqual({ event: 'UPDATE', occurredAtMs })
    expect(readFacts('{"event":"TEST"', text)).toBeUndefined()
  })
})

// What a client sets as application_name comes along as the request id.
it('lets no line break into a header', () => {
  const headers = eventHeaders({ requestId: 'a\r\nx-evil: 1', payloadError: 'ü\n', replayOf: null })
  expect(headers).toEqual({ 'x-request-id': 'a??x-evil: 1', 'x-quoin-payload-error': '??' })
  expect(() => new Headers(headers)).not.toThrow()
})
