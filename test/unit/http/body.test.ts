import { afterEach, describe, expect, it, vi } from 'vitest'
import { BODY_VALUES_MAX, checkedJson, checkUtf8, passedBody, readBytes } from '../../../src/http/body.ts'
import { encodeUtf8 } from '../../../src/lib/utf8.ts'
import { byteStream } from './byte-stream.ts'

const request = (body: ReadableStream | string, headers: Record<string, string> = {}) =>
  new Request('http://quoin.test/', {
    method: 'POST',
    body: typeof body === 'string' ? byteStream(body) : body,
    headers,
    duplex: 'half',
  } as RequestInit)

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)
const json = (body: string, type: string | null = null) => {
  const checked = checkedJson(encodeUtf8(body), type)
  return checked === undefined ? undefined : JSON.parse(checked)
}

const readUtf8 = async (request: Request, bytesMax: number) => checkUtf8(await readBytes(request, bytesMax))

describe('readBytes and checkUtf8', () => {
  it('reads a body up to the bound and refuses one byte more, declared or chunked', async () => {
    expect(text(await readUtf8(request('12345'), 5))).toBe('12345')
    await expect(readUtf8(request('123456', { 'content-length': '6' }), 5)).rejects.toMatchObject({
      code: 'payload_too_large',
    })
    const long = byteStream(new Uint8Array(3), new Uint8Array(3))
    await expect(readUtf8(request(long), 5)).rejects.toMatchObject({ code: 'payload_too_large' })
  })

  it('joins a character that was split between chunks', async () => {
    const bytes = new TextEncoder().encode('é')
    expect(text(await readUtf8(request(byteStream(bytes.slice(0, 1), bytes.slice(1))), 5))).toBe('é')
  })

  it('refuses a compressed body instead of reading it as text', async () => {
    const compressed = request('abc', { 'content-encoding': 'gzip' })
    await expect(readUtf8(compressed, 5)).rejects.toMatchObject({ code: 'unsupported_media_type' })
  })

  // The attack: whoever hung up inside a body got a stack trace into the log of errors.
  it.each([{}, { 'content-length': '5' }])('says that a body broke off, with %j', async headers => {
    const broken = new ReadableStream({
      type: 'bytes',
      pull: controller => controller.error(new Error('Network connection lost.')),
    })
    await expect(readUtf8(request(broken, headers), 5)).rejects.toMatchObject({
      code: 'invalid_body',
      message: 'The body broke off.',
    })
  })

  it('refuses bytes that are no UTF-8 instead of replacing them', async () => {
    for (const bytes of [[0xff, 0xfe], [0xc3], [0xed, 0xa0, 0x80]]) {
      await expect(readUtf8(request(byteStream(new Uint8Array(bytes))), 5)).rejects.toMatchObject({
        code: 'invalid_body',
      })
    }
  })

  it('passes over a byte order mark, and checks characters across the slices that it looks at', async () => {
    expect(text(await readUtf8(request('\uFEFF1'), 5))).toBe('1')
    const long = 'é😀'.repeat(40_000)
    expect(text(await readUtf8(request(`1${long}`), 1_000_000)) === `1${long}`).toBe(true)
  })
})

describe('checkedJson', () => {
  it('tells an empty body from JSON, so that a schema can make it optional', () => {
    expect(json('  ')).toBeUndefined()
  })

  it('accepts JSON types and no others', () => {
    expect(json('{"a":1}', 'application/json; charset=utf-8')).toEqual({ a: 1 })
    expect(json('{"a":1}', 'application/problem+json')).toEqual({ a: 1 })
    expect(() => json('a=1', 'application/x-www-form-urlencoded')).toThrow(/takes JSON/)
  })

  it('says where malformed JSON breaks', () => {
    expect(() => json('{"a":\n  x}')).toThrowError(
      expect.objectContaining({ code: 'invalid_body', detail: 'Expected a value: line 2, column 3.' }),
    )
  })

  it.each([
    ['a NUL character', '{"name":"a\\u0000b"}'],
    ['a NUL character in a key', '{"x\\u0000":1}'],
    ['half of a surrogate pair', '{"tags":["\\ud83d"]}'],
  ])('refuses %s, which Postgres cannot store as sent', (_, body) => {
    expect(() => json(body)).toThrow(/NUL|surrogate/)
  })

  // A schema works much longer on a value than it takes to send one.
  it('refuses more values than the route takes, and nesting that would exhaust the stack', () => {
    const list = (values: number) =>
      `[${Array(values - 1)
        .fill('{}')
        .join()}]`
    expect(json(list(BODY_VALUES_MAX))).toHaveLength(BODY_VALUES_MAX - 1)
    expect(() => json(list(BODY_VALUES_MAX + 1))).toThrow(
      expect.objectContaining({ code: 'payload_too_large' }),
    )
    expect(() => json('['.repeat(100_000))).toThrow(/nested deeper/)
  })
})

describe('passedBody', () => {
  const MIB = 1024 * 1024
  const bytesMax = 10_000 * MIB

  afterEach(() => {
    vi.useRealTimers()
  })

  /** A body of so many parts of a mebibyte; then it is silent, or ends. `taken` counts what was asked for. */
  function parts(count: number, { ends = true } = {}) {
    const seen = { taken: 0, cancelled: false }
    const stream = new ReadableStream({
      type: 'bytes',
      async pull(controller) {
        if (seen.taken === count && !ends) return await new Promise(() => {})
        if (seen.taken < count) {
          seen.taken += 1
          return controller.enqueue(new Uint8Array(MIB))
        }
        controller.close()
        controller.byobRequest?.respond(0)
      },
      cancel() {
        seen.cancelled = true
      },
    })
    const incoming = request(stream)
    const passed = passedBody(incoming, bytesMax, async () => {})
    if (passed === null) throw new Error('the request has no body')
    return { seen, incoming, passed, begin: () => passed.stream.getReader().read() }
  }

  it('leaves what was not begun to others, unlocked', async () => {
    const { incoming, seen, passed } = parts(3)
    await passed.stream.cancel()
    await passed.discardRest()
    expect([incoming.bodyUsed, incoming.body?.locked, seen.taken]).toEqual([false, false, 0])
  })

  it.each([true, false])('takes the rest of what was begun, cancelled before: %s', async isCancelled => {
    const { seen, passed } = parts(3)
    const reader = passed.stream.getReader()
    await reader.read()
    expect(seen.taken).toBe(1)
    if (isCancelled) await reader.cancel()
    expect(seen.cancelled).toBe(false)
    await passed.discardRest()
    expect(seen.taken).toBe(3)
  })

  it('takes no more than 100 MiB', async () => {
    const { seen, passed, begin } = parts(10_000)
    await begin()
    await passed.discardRest()
    expect(seen.cancelled).toBe(true)
    expect(seen.taken).toBeLessThan(110)
  })

  it('waits five seconds for a client that is silent', async () => {
    vi.useFakeTimers()
    const { seen, passed, begin } = parts(1, { ends: false })
    await begin()
    const discarding = passed.discardRest()
    await vi.advanceTimersByTimeAsync(4_999)
    expect(seen.cancelled).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    await discarding
    expect(seen.cancelled).toBe(true)
  })
})
