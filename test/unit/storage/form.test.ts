// Uploads that come as forms: taken apart alike whatever chunks they come in, never held, and refused when broken.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DomainError } from '../../../src/errors.ts'
import { isForm } from '../../../src/features/storage/form/part-headers.ts'
import { readForm } from '../../../src/features/storage/form/read-form.ts'

const ASIDE = 128 * 1024
const BOUNDARY = '----b'
const FILE = partOf('form-data; name="file"; filename="a.txt"', 'text/plain', 'contents')

it('reads what FormData of a browser sends', async () => {
  const form = new FormData()
  form.append('cacheControl', '3600')
  form.append('metadata', '{"a":"ü"}')
  form.append('', new File(['contents\r\n--\r\n'], '日本 "x".png', { type: 'image/png' }))
  const request = new Request('http://quoin.test', { method: 'POST', body: form })
  const bytes = new Uint8Array(await request.arrayBuffer())
  const read = await readWhole([bytes], { contentType: request.headers.get('content-type') ?? '' })
  expect(read).toEqual({
    fields: { cacheControl: '3600', metadata: '{"a":"ü"}' },
    filename: '日本 %22x%22.png',
    contentType: 'image/png',
    contents: 'contents\r\n--\r\n',
  })
})

it('reads fields in front of the file and behind it, of which the first of a name counts', async () => {
  const body = formOf(field('a', '1'), FILE, field('a', '2'), field('cacheControl', '60'))
  const form = await readForm(streamOf([encode(body)]), headersOf())
  expect(Object.fromEntries(form.fields)).toEqual({ a: '1' })
  await new Response(form.file.body).arrayBuffer()
  expect(Object.fromEntries(form.fields)).toEqual({ a: '1', cacheControl: '60' })
})

it.each([
  ['no line break at its end', `--${BOUNDARY}\r\n${FILE}\r\n--${BOUNDARY}--`],
  ['text around it', `preamble\r\n--${BOUNDARY}\r\n${FILE}\r\n--${BOUNDARY}--\r\nepilogue`],
  ['blanks behind its boundaries', `--${BOUNDARY} \t\r\n${FILE}\r\n--${BOUNDARY}-- \r\n`],
  ['a line break in front', `\r\n--${BOUNDARY}\r\n${FILE}\r\n--${BOUNDARY}--\r\n`],
])('reads a form with %s', async (_, body) => {
  expect((await readWhole([encode(body)])).contents).toBe('contents')
})

it.each([
  ['a file name', 'form-data; name="f"; filename="a.txt"', undefined],
  ['an empty file name', 'form-data; name="f"; filename=""', 'text/plain'],
  ['no name', 'form-data; name=""', 'text/plain'],
  ['names without quotes', 'form-data; name=f; filename=a.txt', undefined],
  ['a name in other letters', `form-data; name="f"; filename*=UTF-8''%e2%82%ac.txt`, undefined],
  ['the type of bytes', 'form-data; name="f"', 'application/octet-stream'],
])('takes a part with %s for the file', async (_, disposition, type) => {
  const read = await readWhole([encode(formOf(partOf(disposition, type, 'contents')))])
  expect(read.contents).toBe('contents')
  expect(read.contentType).toBe(type)
})

it('reads the same of a form in any chunks', async () => {
  // Rich in what may begin a delimiter.
  const text = fc.array(fc.constantFrom('\r', '\n', '-', 'b', '\r\n', '\r\n--', '\r\n------', 'x'), {
    maxLength: 60,
  })
  const cuts = fc.array(fc.nat(400), { maxLength: 80 })
  await fc.assert(
    fc.asyncProperty(text, cuts, fc.boolean(), async (pieces, cuts, bytewise) => {
      const contents = pieces.join('')
      fc.pre(!contents.includes(`\r\n--${BOUNDARY}`))
      const bytes = encode(
        formOf(field('a', 'ü'), partOf('form-data; name=""', 'text/plain', contents), field('b', '')),
      )
      const chunks = bytewise ? [...bytes].map(byte => Uint8Array.of(byte)) : cutAt(bytes, cuts)
      const read = await readWhole(chunks)
      expect(read.contents).toBe(contents)
      expect(read.fields).toEqual({ a: 'ü', b: '' })
    }),
    { numRuns: 300 },
  )
})

describe('a form that is refused', () => {
  it.each([
    ['without a boundary', 'multipart/form-data', formOf(FILE)],
    ['with a boundary of 71 characters', `multipart/form-data; boundary=${'b'.repeat(71)}`, formOf(FILE)],
    ['with an empty boundary', 'multipart/form-data; boundary=""', formOf(FILE)],
  ])('%s', async (_, contentType, body) => {
    await expectRefusal(readWhole([encode(body)], { contentType }), 'invalid_body')
  })

  it.each([
    ['without anything', ''],
    ['without a file', formOf(field('a', '1'))],
    ['without parts', `--${BOUNDARY}--\r\n`],
    ['with two files', formOf(FILE, FILE)],
    ['with a part without a name', formOf(partOf('form-data', undefined, ''), FILE)],
    ['with a part without headers', `--${BOUNDARY}\r\n\r\nx\r\n--${BOUNDARY}--`],
    ['with a header without a colon', formOf(`no header\r\n\r\nx`)],
    ['with a header in two lines', formOf('Content-Disposition: form-data;\r\n name="f"\r\n\r\nx')],
    ['with a form in it', formOf(partOf('form-data; name=""', 'multipart/mixed; boundary=c', 'x'))],
    ['with an encoded part', formOf(`Content-Transfer-Encoding: base64\r\n${FILE}`)],
    ['with text behind a boundary', `--${BOUNDARY}x\r\n${FILE}\r\n--${BOUNDARY}--`],
  ])('%s', async (_, body) => {
    await expectRefusal(readWhole([encode(body)]), 'invalid_body')
  })

  it('with a field that is no UTF-8', async () => {
    const bytes = encode(formOf(field('a', '~'), FILE)).map(byte => (byte === 0x7e ? 0xff : byte))
    await expectRefusal(readWhole([bytes]), 'invalid_body')
  })

  it('wherever it is cut off in front of its end', async () => {
    const bytes = encode(formOf(field('a', '1'), FILE, field('b', '2')))
    const closing = bytes.byteLength - '\r\n'.length
    for (let end = 0; end < closing; end += 1) {
      await expectRefusal(readWhole([bytes.subarray(0, end)]), 'invalid_body')
    }
    expect((await readWhole([bytes.subarray(0, closing)])).contents).toBe('contents')
  })

  it.each([
    ['more than 100 fields', formOf(...Array.from({ length: 101 }, () => field('a', '')), FILE)],
    [
      'more than 100 fields behind its file',
      formOf(FILE, ...Array.from({ length: 101 }, () => field('a', ''))),
    ],
    ['fields of 128 KiB', formOf(field('a', 'x'.repeat(ASIDE / 2)), FILE, field('b', 'x'.repeat(ASIDE / 2)))],
    ['headers of more than 16 KiB', formOf(`X-Long: ${'x'.repeat(17_000)}\r\n${FILE}`)],
    ['128 KiB behind its end', formOf(FILE) + 'x'.repeat(ASIDE)],
    ['128 KiB in front of it', `${'x'.repeat(ASIDE)}\r\n${formOf(FILE)}`],
  ])('with %s', async (_, body) => {
    await expectRefusal(readWhole([encode(body)]), 'payload_too_large')
  })
})

describe('the likely length', () => {
  const BEHIND = field('b', 'x'.repeat(ASIDE - 2_000))

  it.each([
    ['as it is, of a form as clients send it', formOf(field('cacheControl', '3600'), FILE), 0],
    ['as it is, of a file without a byte', formOf(partOf('form-data; name=""', 'text/plain', '')), 0],
    ['with what is behind the file', formOf(FILE, BEHIND), `--${BOUNDARY}\r\n${BEHIND}\r\n`.length],
    ['without what a last line break has', formOf(FILE).slice(0, -2), -2],
    ['as none at least', formOf(partOf('form-data; name=""', 'text/plain', '')).slice(0, -2), 0],
  ])('is told %s', async (_, body, more) => {
    const bytes = encode(body)
    const form = await readForm(streamOf([bytes]), { ...headersOf(), contentLength: bytes.byteLength })
    const length = (await new Response(form.file.body).arrayBuffer()).byteLength
    expect(form.file.likelyLength).toBe(length + more)
  })

  it('is not told of a form that does not tell its own', async () => {
    const { file } = await readForm(streamOf([encode(formOf(FILE))]), headersOf())
    expect(file.likelyLength).toBeUndefined()
  })
})

it('reads no more of the body than it is asked for', async () => {
  let chunks = 0
  const start = encode(`--${BOUNDARY}\r\n${partOf('form-data; name=""', undefined, '')}`)
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        controller.enqueue(chunks === 0 ? start : new Uint8Array(1_000))
        chunks += 1
      },
    },
    { highWaterMark: 0 },
  )
  const form = await readForm(body, headersOf())
  expect(chunks).toBe(1)
  const reader = form.file.body.getReader()
  await reader.read()
  expect(chunks).toBe(2)
})

it('hands on what the body fails with, and cancels what nobody reads', async () => {
  const failure = new DomainError('payload_too_large', 'too large')
  const start = encode(`--${BOUNDARY}\r\n${FILE}`)
  const form = await readForm(streamOf([start], failure), headersOf())
  await expect(new Response(form.file.body).arrayBuffer()).rejects.toBe(failure)
  let cancelled = 0
  const endless = () =>
    new ReadableStream<Uint8Array>({
      start: c => c.enqueue(start),
      cancel: () => {
        cancelled += 1
      },
    })
  await (await readForm(endless(), headersOf())).file.body.cancel()
  await expectRefusal(
    readForm(endless(), { contentType: 'multipart/form-data', contentLength: undefined }),
    'invalid_body',
  )
  expect(cancelled).toBe(2)
})

it('gives up a body of which nothing more comes', async () => {
  const silent = new ReadableStream<Uint8Array>()
  await expectRefusal(readForm(silent, headersOf(), { timeoutMs: 20 }), 'invalid_body')
})

it('knows a form by its type', () => {
  expect(['multipart/form-data; boundary=b', 'Multipart/Form-Data'].every(isForm)).toBe(true)
  expect([null, 'multipart/mixed; boundary=b', 'multipart/form-database', 'text/plain'].some(isForm)).toBe(
    false,
  )
})

function partOf(disposition: string, type: string | undefined, contents: string): string {
  const typed = type === undefined ? '' : `Content-Type: ${type}\r\n`
  return `Content-Disposition: ${disposition}\r\n${typed}\r\n${contents}`
}

function field(name: string, value: string): string {
  return partOf(`form-data; name="${name}"`, undefined, value)
}

function formOf(...parts: readonly string[]): string {
  return `${parts.map(part => `--${BOUNDARY}\r\n${part}\r\n`).join('')}--${BOUNDARY}--\r\n`
}

function headersOf() {
  return { contentType: `multipart/form-data; boundary=${BOUNDARY}`, contentLength: undefined }
}

const encode = (text: string) => new TextEncoder().encode(text)

function cutAt(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const ends = [...cuts.filter(cut => cut < bytes.byteLength).sort((a, b) => a - b), bytes.byteLength]
  return ends.map((end, index) => bytes.subarray(index === 0 ? 0 : ends[index - 1], end))
}

function streamOf(chunks: readonly Uint8Array[], failure?: Error): ReadableStream<Uint8Array> {
  let next = 0
  return new ReadableStream({
    pull(controller) {
      const chunk = chunks[next]
      next += 1
      if (chunk !== undefined) controller.enqueue(chunk)
      else if (failure) controller.error(failure)
      else controller.close()
    },
  })
}

async function readWhole(chunks: readonly Uint8Array[], headers: { contentType?: string } = {}) {
  const form = await readForm(streamOf(chunks), { ...headersOf(), ...headers })
  const { filename, contentType, body } = form.file
  const contents = new TextDecoder().decode(await new Response(body).arrayBuffer())
  return { fields: Object.fromEntries(form.fields), filename, contentType, contents }
}

async function expectRefusal(work: Promise<unknown>, code: string): Promise<void> {
  const err = await work.then(
    () => undefined,
    (err: unknown) => err,
  )
  expect(err).toBeInstanceOf(DomainError)
  expect(err).toMatchObject({ code })
}
