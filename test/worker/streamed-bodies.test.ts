// Bodies of files in workerd: passed on as they come, bounded, and of a length that R2 takes. And what becomes of names
// and of HEAD on the way, which the runtime and Node might see differently. On routes of the test's own.

import { once } from 'node:events'
import { connect } from 'node:net'
import { build } from 'esbuild'
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { unstable_getMiniflareWorkerOptions } from 'wrangler'
import { PROJECT_DIR } from '../../cli/support/project.ts'

const MIB = 1024 * 1024
const BOUND = MIB

const WORKER = `
import { makeBlobStore } from './src/features/storage/blobs/blob-store.ts'
import { readSentFile } from './src/features/storage/supabase/read-sent-file.ts'
import { createApp } from './src/http/app.ts'
import { defineRoute } from './src/http/route.ts'

let received = 0
const upload = { streamsBody: true, bodyBytesMax: config => config.storageUploadMaxBytes, summary: '' }
const BOUND = ${BOUND}
const routes = [
  defineRoute({
    ...upload, id: 'test.put', method: 'put', mounts: { '/v1/files/:name{.+}': 'none' },
    handle: async ({ deps, params, bodyStream, request }) => {
      const { readable, writable } = new FixedLengthStream(Number(request.headers.get('content-length')))
      const [stored] = await Promise.all([
        deps.bucket.put(params.name, readable),
        bodyStream.pipeTo(writable),
      ])
      return Response.json({ size: stored.size })
    },
  }),
  defineRoute({
    ...upload, id: 'test.count', method: 'post', mounts: { '/v1/counted': 'none' },
    handle: async ({ bodyStream }) => {
      let [parts, size] = [0, 0]
      for await (const part of bodyStream) [parts, size] = [parts + 1, size + part.length]
      return Response.json({ parts, size })
    },
  }),
  defineRoute({
    ...upload, id: 'test.echo', method: 'post', mounts: { '/v1/echo': 'none' },
    handle: async ({ bodyStream }) => new Response(bodyStream),
  }),
  defineRoute({
    ...upload, id: 'test.store', method: 'post', mounts: { '/v1/stored/:name': 'none' },
    bodyBytesMax: () => 16 * BOUND,
    handle: async ({ deps, params, bodyStream, request }) => {
      const counted = new TransformStream({
        transform(chunk, controller) {
          received += chunk.length
          controller.enqueue(chunk)
        },
      })
      const { body, length, likelyLength } = await readSentFile(request.headers, bodyStream.pipeThrough(counted))
      return Response.json(await deps.blobs.put(params.name, body, { length, likelyLength, database: '' }))
    },
  }),
  defineRoute({
    id: 'test.received', method: 'get', mounts: { '/v1/received': 'none' }, summary: '',
    handle: async () => Response.json(received),
  }),
  defineRoute({
    id: 'test.get', method: 'get', mounts: { '/v1/files/:name{.+}': 'none' }, summary: '',
    handle: async ({ params, request }) => ({
      status: 200,
      headers: { 'x-name': encodeURIComponent(params.name), 'x-method': request.method, 'content-length': '5' },
      body: request.method === 'HEAD' ? null : 'bytes',
    }),
  }),
]
const app = createApp(
  routes,
  env => ({
    config: { storageUploadMaxBytes: BOUND }, bucket: env.STORAGE, blobs: makeBlobStore(env.STORAGE),
  }),
  () => {},
)
export default { fetch: (request, env, ctx) => app.fetch(request, env, ctx) }
`

let miniflare: Miniflare
let origin = ''

beforeAll(async () => {
  const { outputFiles } = await build({
    stdin: { contents: WORKER, resolveDir: PROJECT_DIR, loader: 'js' },
    bundle: true,
    format: 'esm',
    write: false,
    logLevel: 'silent',
  })
  const { compatibilityDate, compatibilityFlags } = unstable_getMiniflareWorkerOptions(
    `${PROJECT_DIR}/wrangler.toml`,
  ).workerOptions
  miniflare = new Miniflare(
    convertV4MiniflareOptions({
      cf: false,
      log: new Log(LogLevel.NONE),
      handleStructuredLogs: () => {},
      telemetry: { enabled: false },
      modules: true,
      script: outputFiles[0]?.text ?? '',
      compatibilityDate: String(compatibilityDate),
      compatibilityFlags: compatibilityFlags as string[],
      r2Buckets: ['STORAGE'],
    }),
  )
  origin = (await miniflare.ready).origin
})

afterAll(() => miniflare.dispose())

/** A body without Content-Length. */
function chunked(bytes: number): RequestInit {
  const body = new Blob([new Uint8Array(bytes)]).stream()
  return { method: 'POST', body, duplex: 'half' } as RequestInit
}

it('goes to R2 with the length that was declared', async () => {
  const body = crypto.getRandomValues(new Uint8Array(65_536))
  const answer = await fetch(`${origin}/v1/files/photos/a.bin`, { method: 'PUT', body })
  expect([answer.status, await answer.json()]).toEqual([200, { size: body.length }])
  const stored = await (await miniflare.getR2Bucket('STORAGE')).get('photos/a.bin')
  expect(new Uint8Array((await stored?.arrayBuffer()) ?? [])).toEqual(body)
})

it('is taken up to the bound and fails one byte over it, declared or chunked', async () => {
  const declared = (bytes: number) => ({ method: 'POST', body: new Uint8Array(bytes) })
  for (const body of [declared, chunked]) {
    const answers = await Promise.all(
      [BOUND, BOUND + 1].map(bytes => fetch(`${origin}/v1/counted`, body(bytes))),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 413])
    expect(await answers[0]?.json()).toMatchObject({ size: BOUND })
    expect(await answers[1]?.json()).toMatchObject({ code: 'object_too_large' })
  }
})

// Of one byte each, a megabyte of chunks was a million turns.
it('comes in few parts, whatever chunks it was sent in', async () => {
  const socket = connect(Number(new URL(origin).port), '127.0.0.1')
  let answer = ''
  socket.on('data', data => {
    answer += data
  })
  socket.write('POST /v1/counted HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n')
  if (!socket.write('1\r\na\r\n'.repeat(100_000))) await once(socket, 'drain')
  socket.write('0\r\n\r\n')
  await expect.poll(() => answer).toContain('{"parts":2,"size":100000}')
  socket.destroy()
})

it('is passed on before it has ended', async () => {
  const half = 64 * 1024
  const socket = connect(Number(new URL(origin).port), '127.0.0.1')
  let received = 0
  socket.on('data', data => {
    received += data.length
  })
  socket.write(`POST /v1/echo HTTP/1.1\r\nHost: x\r\nContent-Length: ${2 * half}\r\n\r\n`)
  socket.write(Buffer.alloc(half))
  await expect.poll(() => received).toBeGreaterThan(half)
  socket.write(Buffer.alloc(half))
  await expect.poll(() => received).toBeGreaterThan(2 * half)
  socket.destroy()
})

it.each(['a//b', 'a/', 'a%2Fb', '100%25', '%C3%A4%0A'])('has the name %s as it was sent', async name => {
  const { headers } = await fetch(`${origin}/v1/files/${name}`)
  expect(headers.get('x-name')).toBe(encodeURIComponent(decodeURIComponent(name)))
})

it('is asked about by HEAD, with its length and without its bytes', async () => {
  const { headers } = await fetch(`${origin}/v1/files/a`, { method: 'HEAD' })
  expect([headers.get('x-method'), headers.get('content-length')]).toEqual(['HEAD', '5'])
})

describe('slow uploads of photos', () => {
  const PHOTO = Buffer.alloc(7 * MIB, 'photo')
  const FORM = 'Content-Type: multipart/form-data; boundary=b'
  const START = '--b\r\nContent-Disposition: form-data; name=""; filename="photo"\r\n\r\n'
  const END = '\r\n--b--\r\n'

  /** An upload that is under way; resolves to its answer's first line. */
  function begin(name: string, headers: string[], ...body: (string | Buffer)[]) {
    const socket = connect(Number(new URL(origin).port), '127.0.0.1')
    socket.write(`${[`POST /v1/stored/${name} HTTP/1.1`, 'Host: x', ...headers].join('\r\n')}\r\n\r\n`)
    for (const piece of body) socket.write(piece)
    // Some of them are hung up on, with an answer on its way.
    socket.on('error', () => undefined)
    const answer = new Promise(resolve => {
      socket.once('data', data => resolve(String(data).split('\r\n', 1)[0]))
    })
    return { socket, answer }
  }

  const received = async (): Promise<number> => (await fetch(`${origin}/v1/received`)).json()
  const sizeOf = async (name: string) => (await (await miniflare.getR2Bucket('STORAGE')).head(name))?.size

  it('leave room for others, however many they are, and leave nothing when they break off', async () => {
    const before = await received()
    const said = `Content-Length: ${START.length + PHOTO.length + END.length}`
    const names = Array.from({ length: 12 }, (_, index) => `photo-${index}`)
    const uploads = names.map(name => begin(name, [FORM, said], START, PHOTO))
    // Of each the last is passed on with what is behind it.
    await expect
      .poll(received, { timeout: 30_000 })
      .toBeGreaterThan(before + 12 * (PHOTO.length - 128 * 1024))
    const small = new FormData()
    small.append('', new Blob(['small']), 'small.txt')
    const { status } = await fetch(`${origin}/v1/stored/small`, { method: 'POST', body: small })
    expect([status, await sizeOf('small')]).toEqual([200, 5])
    const [first, second, ...others] = uploads
    first?.socket.destroy()
    second?.socket.end(END.slice(0, 3))
    for (const { socket } of others) socket.write(END)
    expect(await Promise.all(others.map(({ answer }) => answer))).toEqual(others.map(() => 'HTTP/1.1 200 OK'))
    for (const { socket } of others) socket.destroy()
    expect(await Promise.all(names.map(sizeOf))).toEqual([
      undefined,
      undefined,
      ...others.map(() => PHOTO.length),
    ])
  })

  it('that do not say their length hold their bytes no longer than their connection', async () => {
    const chunked = 'Transfer-Encoding: chunked'
    const chunk = [`${PHOTO.length.toString(16)}\r\n`, PHOTO]
    for (let count = 0; count < 8; count += 1) {
      const before = await received()
      const { socket } = begin(`gone-${count}`, [chunked], ...chunk)
      await expect.poll(received).toBeGreaterThan(before + PHOTO.length - 128 * 1024)
      socket.destroy()
    }
    const { answer, socket } = begin('whole', [chunked], ...chunk, '\r\n0\r\n\r\n')
    expect(await answer).toBe('HTTP/1.1 200 OK')
    socket.destroy()
  })
})
