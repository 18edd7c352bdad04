import fc from 'fast-check'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { FIXED_LIMITS } from '../../../sql-gateway/config.ts'
import { REQUEST_BYTES_MAX, requestBody } from '../../../src/db/wire-request.ts'

const encode = (text: string) => new TextEncoder().encode(text)
const read = async (body: BodyInit): Promise<{ queries: { params: unknown[] }[] }> =>
  JSON.parse(await new Response(body).text())

// What workerd has and Node has not.
class FixedLength extends TransformStream {
  constructor(_bytes: number) {
    super()
  }
}
beforeAll(() => {
  vi.stubGlobal('FixedLengthStream', FixedLength)
  return () => vi.unstubAllGlobals()
})

/** Any text, many with what JSON has to escape. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom('"', '\\', '\n', '\t', '\b', '\f', '\r', '\u0001', '\u001f', '\u007f', 'é', '😀'),
  }),
)

/** The bytes in several parts. */
function cutAt(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const cuts = [0, ...places.toSorted((a, b) => a - b), bytes.length]
  return cuts.slice(1).map((end, i) => bytes.subarray(cuts[i], end))
}

describe('requestBody', () => {
  it('says the same of a text and of its bytes, cut anywhere, whether they are few or many', async () => {
    const anyCuts = fc.array(fc.nat(20), { maxLength: 3 })
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(anyText, anyCuts)),
        anyText,
        fc.constantFrom(0, 70_000),
        async (params, sql, length) => {
          const filler = 'é'.repeat(length)
          const bytes = params.map(([text, cuts]) => ({ parts: cutAt(encode(text), cuts) }))
          const body = requestBody([
            { sql: 'begin', params: [] },
            { sql, params: [null, ...bytes, { parts: [encode(filler)] }, 'x'] },
          ])
          expect(typeof body === 'string').toBe(length === 0)
          const [begin, ...others] = (await read(body)).queries
          expect(begin).toEqual({ query: 'begin', params: [] })
          const texts = params.map(([text]) => text)
          expect(others).toEqual([{ query: sql, params: [null, ...texts, filler, 'x'] }])
        },
      ),
    )
  })

  it('takes control characters in any place, also where a body is so large that it is sent in pieces', async () => {
    const text = Array.from({ length: 0x80 }, (_, code) => String.fromCharCode(code))
      .join('')
      .repeat(1_001)
    const body = requestBody([{ sql: 'select $1', params: [{ parts: [encode(text)] }] }])
    expect(body).toBeInstanceOf(ReadableStream)
    expect((await read(body)).queries[0]?.params[0] === text).toBe(true)
  })

  it('is never larger than what the gateway takes by default', () => {
    expect(FIXED_LIMITS.requestBodyBytesMax).toBe(REQUEST_BYTES_MAX)
    const tooMany = new Uint8Array(REQUEST_BYTES_MAX / 2).fill(0x5c)
    expect(() => requestBody([{ sql: 'select $1', params: [{ parts: [tooMany] }] }])).toThrow(
      expect.objectContaining({ code: 'payload_too_large' }),
    )
  })
})
