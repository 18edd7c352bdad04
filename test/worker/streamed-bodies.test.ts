// Bodies of files in workerd: passed on as they come, bounded, and of a length that R2 takes. And what becomes of names
// and of HEAD on the way, which the runtime and Node might see differently. On routes of the test's own.

import { once } from 'node:events'
import { connect } from 'node:net'
import { build } from 'esbuild'
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { unstable_getMiniflareWorkerOptions } from 'wrangler'
import { PROJECT_DIR } from '../../cli/support/project.ts'

const BOUND = 1024 * 1024

const WORKER = `
import { createApp } from './src/http/app.ts'
import { defineRoute } from './src/http/route.ts'

const upload = { streamsBody: true, bodyBytesMax: config => config.storageUploadMaxBytes, summary: '' }
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
  env => ({ config: { storageUploadMaxBytes: ${BOUND} }, bucket: env.STORAGE }),
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
