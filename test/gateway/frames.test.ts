/** The cutting of the server's bytes into messages, without a server: any chunking gives the same messages. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FrameReader } from '../../sql-gateway/frame-reader.ts'

const DATA_ROW = 0x44
const READY = 0x5a

function message(code: number, body: Uint8Array): Buffer {
  const head = Buffer.alloc(5)
  head[0] = code
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

function cut(reader: FrameReader, chunks: readonly Buffer[]): string[] {
  const found: string[] = []
  for (const chunk of chunks) {
    reader.push(chunk, (code, bytes, start, end) =>
      found.push(`${code}:${bytes.toString('hex', start, end)}`),
    )
  }
  return found
}

function chunksOf(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [0, ...cuts.map(place => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  return places.slice(1).map((end, i) => bytes.subarray(places[i], end))
}

const messages = fc.array(
  fc.tuple(fc.constantFrom(DATA_ROW, READY, 0x43, 0x4e, 0x64), fc.uint8Array({ maxLength: 40 })),
)
const cuts = fc.array(fc.nat(2_000), { maxLength: 30 })

describe('FrameReader', () => {
  it('finds the same messages however the bytes arrive', () => {
    fc.assert(
      fc.property(messages, cuts, (list, places) => {
        const bytes = Buffer.concat(list.map(([code, body]) => message(code, body)))
        const expected = list.map(([code, body]) => `${code}:${Buffer.from(body).toString('hex')}`)
        expect(cut(new FrameReader(), chunksOf(bytes, places))).toEqual(expected)
      }),
    )
  })

  it('drops rows, copied data and notices while it discards, and nothing else', () => {
    fc.assert(
      fc.property(messages, cuts, (list, places) => {
        const reader = new FrameReader()
        reader.isDiscarding = true
        const bytes = Buffer.concat(list.map(([code, body]) => message(code, body)))
        const kept = list.filter(([code]) => code === READY || code === 0x43)
        expect(cut(reader, chunksOf(bytes, places))).toEqual(
          kept.map(([code, body]) => `${code}:${Buffer.from(body).toString('hex')}`),
        )
      }),
    )
  })

  it('holds nothing of a long row that it discards, also when the row had begun before', () => {
    const reader = new FrameReader()
    const row = message(DATA_ROW, Buffer.alloc(100_000))
    cut(reader, [row.subarray(0, 10_000)])
    expect(reader.bytesHeld).toBe(10_000)
    reader.isDiscarding = true
    cut(reader, [row.subarray(10_000, 50_000)])
    expect(reader.bytesHeld).toBe(0)
    const ready = message(READY, Buffer.from('I'))
    expect(cut(reader, [Buffer.concat([row.subarray(50_000), row.subarray(0, 60_000)])])).toEqual([])
    expect(reader.bytesHeld).toBe(0)
    expect(cut(reader, [Buffer.concat([row.subarray(60_000), ready])])).toEqual(['90:49'])
  })

  it('refuses a length that no message has', () => {
    expect(() => cut(new FrameReader(), [Buffer.from([READY, 0, 0, 0, 3])])).toThrow('impossible length')
  })
})
