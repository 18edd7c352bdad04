import { describe, expect, it } from 'vitest'
import { parseJson, readText } from '../../../src/http/body.ts'

const request = (body: BodyInit, headers: Record<string, string> = {}) =>
  new Request('http://quoin.test/', { method: 'POST', body, headers, duplex: 'half' } as RequestInit)

function chunks(...parts: Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part)
      controller.close()
    },
  })
}

describe('readText', () => {
  it('reads a body up to the bound and refuses one byte more, declared or chunked', async () => {
    expect(await readText(request('12345'), 5)).toBe('12345')
    await expect(readText(request('123456', { 'content-length': '6' }), 5)).rejects.toMatchObject({
      code: 'payload_too_large',
    })
    const long = chunks(new Uint8Array(3), new Uint8Array(3))
    await expect(readText(request(long), 5)).rejects.toMatchObject({ code: 'payload_too_large' })
  })

  it('joins a character that was split between chunks', async () => {
    const bytes = new TextEncoder().encode('é')
    expect(await readText(request(chunks(bytes.slice(0, 1), bytes.slice(1))), 5)).toBe('é')
  })

  it('refuses a compressed body instead of reading it as text', async () => {
    const compressed = request('abc', { 'content-encoding': 'gzip' })
    await expect(readText(compressed, 5)).rejects.toMatchObject({ code: 'unsupported_media_type' })
  })

  it('refuses bytes that are no UTF-8 instead of replacing them', async () => {
    await expect(readText(request(chunks(new Uint8Array([0xff, 0xfe]))), 5)).rejects.toMatchObject({
      code: 'invalid_body',
    })
  })
})

describe('parseJson', () => {
  it('gives undefined for an empty body, so that a schema can make it optional', () => {
    expect(parseJson('  ', null)).toBeUndefined()
  })

  it('accepts JSON types and no others', () => {
    expect(parseJson('{"a":1}', 'application/json; charset=utf-8')).toEqual({ a: 1 })
    expect(parseJson('{"a":1}', 'application/problem+json')).toEqual({ a: 1 })
    expect(() => parseJson('a=1', 'application/x-www-form-urlencoded')).toThrow(/takes JSON/)
  })

  it('says where malformed JSON breaks', () => {
    expect(() => parseJson('{"a":', null)).toThrowError(
      expect.objectContaining({ code: 'invalid_body', detail: expect.any(String) }),
    )
  })
})
