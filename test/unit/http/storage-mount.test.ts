// Paths of Supabase's storage through the app: who gets in, what a name is, and how pages and clients are answered.

import { beforeEach, describe, expect, it, vi } from 'vitest'
import { parseConfig } from '../../../src/config.ts'
import type { Deps } from '../../../src/deps.ts'
import { AddressGate } from '../../../src/features/api-keys/limit/address-gate.ts'
import { KeyGate } from '../../../src/features/api-keys/limit/key-gate.ts'
import { UnknownKeyGuard } from '../../../src/features/api-keys/limit/unknown-keys.ts'
import { createApp } from '../../../src/http/app.ts'
import { openApiDocument } from '../../../src/http/openapi/document.ts'
import { defineRoute } from '../../../src/http/route.ts'
import { ANY_KEY } from '../api-keys/limit/window-oracle.ts'
import { byteStream } from './byte-stream.ts'

vi.spyOn(console, 'error').mockImplementation(() => {})

const asked: string[] = []
let addressWait: number | undefined

beforeEach(() => {
  asked.length = 0
  addressWait = undefined
})

const rateLimit = { limit: 100, remaining: 99, resetSeconds: 60 }
const limiters = {
  byHash: () => ({ admit: async () => ({ outcome: 'admitted', key: ANY_KEY, rateLimit }) }),
} as unknown as Deps['limiters']

const deps = {
  config: parseConfig({
    DATABASE_URL: 'postgres://h',
    DATA_DATABASE_URL: 'postgres://h',
    SQL_GATEWAY_URL: 'http://gateway',
    STORAGE_UPLOAD_MAX_BYTES: '8',
  }),
  identifyKey: async text => (text.startsWith('svc_') ? text : null),
  keyGate: new KeyGate(limiters, async () => Date.now()),
  unknownKeyGuard: new UnknownKeyGuard(),
  verifyAccessToken: async token => ({ subject: token, claims: {} }),
  addressGate: new AddressGate(
    {
      byName: name => ({
        admit: async limit => {
          asked.push(`${name} ${limit}`)
          return { limit, retryAfterSeconds: addressWait }
        },
      }),
    },
    { api: 600, consent: 30, render: 60, storage: 1_200 },
  ),
  now: () => new Date(),
} satisfies Partial<Deps> as Partial<Deps> as Deps

const routes = [
  defineRoute({
    id: 'files.ask',
    method: 'options',
    mounts: { '/storage/v1/upload/resumable': 'public' },
    summary: 'What TUS asks first',
    handle: async () => ({ status: 204, headers: { 'tus-version': '1.0.0' }, body: null }),
  }),
  defineRoute({
    id: 'files.open',
    method: 'get',
    mounts: { '/storage/v1/object/public/:bucket/:name{.+}': 'public' },
    summary: 'A public file',
    handle: async ({ params: { bucket, name }, principal, request }) => ({
      status: 200,
      headers: { 'content-length': '1000', 'x-seen': `${request.method} ${principal}` },
      body: JSON.stringify([bucket, name]),
    }),
  }),
  defineRoute({
    id: 'files.upload',
    method: 'post',
    mounts: { '/storage/v1/object/:bucket/:name{.+}': 'any_key' },
    summary: 'Stores a file',
    streamsBody: true,
    bodyBytesMax: ({ storageUploadMaxBytes }) => storageUploadMaxBytes,
    handle: async ({ bodyStream, principal }) => {
      const bytes = await new Response(bodyStream).bytes()
      return Response.json({ size: bytes.length, user: principal.endUser?.subject })
    },
  }),
]
const app = createApp(
  routes,
  () => deps,
  () => {},
)
const ask = (path: string, init: RequestInit = {}) => app.request(`/storage/v1${path}`, init)
const post = (path: string, headers: Record<string, string>, body = 'x') =>
  ask(path, { method: 'POST', headers, body: byteStream(body), duplex: 'half' } as RequestInit)
const PUBLIC = '/object/public/photos'

describe('a name', () => {
  it.each([
    ['a', 'a'],
    ['a/b/c.txt', 'a/b/c.txt'],
    // Nothing is tidied up: these are names of other files, and whoever checks names must see them.
    ['a//b', 'a//b'],
    ['a/', 'a/'],
    ['/', '/'],
    ['//a', '//a'],
    ['a%2Fb', 'a/b'],
    ['a%252Fb', 'a%2Fb'],
    ['100%25', '100%'],
    ['%2525', '%25'],
    ['a%3Fb%23c', 'a?b#c'],
    ['%C3%A4%20+', 'ä +'],
    ['a%0Ab', 'a\nb'],
    ['a%E2%80%A8b', 'a\u2028b'],
    ['a?b=c', 'a'],
  ])('that was sent as %s arrives once decoded, with its slashes', async (sent, name) => {
    expect(await (await ask(`${PUBLIC}/${sent}`)).json()).toEqual(['photos', name])
  })

  it('is not empty', async () => {
    const answer = await post('/object/photos/', {})
    expect([answer.status, answer.headers.get('allow')]).toEqual([404, null])
  })
})

describe('a public file', () => {
  it('needs no key, takes pages of any origin, and counts the address by the limit of files', async () => {
    const headers = {
      'cf-connecting-ip': '192.0.2.1',
      origin: 'https://evil.test',
      'sec-fetch-site': 'cross-site',
    }
    const answer = await ask(`${PUBLIC}/a`, { headers })
    expect([answer.status, answer.headers.get('x-seen')]).toEqual([200, 'GET null'])
    expect(asked).toEqual(['storage:192.0.2.1 1200'])
  })

  it('tells an address that asks too often when to come back, in words of its clients', async () => {
    addressWait = 9
    const answer = await ask(`${PUBLIC}/a`)
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '9'])
    expect(await answer.json()).toMatchObject({ statusCode: '429', code: 'SlowDown', hint: 'Wait 9 s.' })
  })

  it('is asked for by HEAD where there is GET, and the route sees which it is', async () => {
    const answer = await ask(`${PUBLIC}/a`, { method: 'HEAD' })
    expect(answer.headers.get('x-seen')).toBe('HEAD null')
    expect([answer.headers.get('content-length'), await answer.text()]).toEqual(['1000', ''])
  })
})

describe('a refusal', () => {
  const KEY = { authorization: 'Bearer svc_pk_x' }
  it.each([
    ['no credential', '/object/b/n', {}, 400, { statusCode: '400', error: 'Error' }],
    [
      'no key',
      '/object/b/n',
      { authorization: 'Bearer x' },
      400,
      { statusCode: '403', error: 'Unauthorized' },
    ],
    ['a path that is not served', '/nothing', KEY, 404, { statusCode: '404', error: 'Not Found' }],
    ['a path that is no UTF-8', '/object/b/%ff', KEY, 400, { statusCode: '400', code: 'InvalidRequest' }],
    ['a compressed body', '/object/b/n', { ...KEY, 'content-encoding': 'gzip' }, 400, { statusCode: '415' }],
  ])('for %s has the shape of Supabase’s storage', async (_, path, headers, status, body) => {
    const answer = await post(path, headers as Record<string, string>)
    expect(answer.status).toBe(status)
    const said = await answer.json()
    expect(said).toMatchObject({ ...body, message: expect.any(String), code: expect.any(String) })
    expect(said.request_id).toBe(answer.headers.get('x-request-id'))
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
  })

  it('for a method that the path does not take names those that it does', async () => {
    const answer = await ask('/upload/resumable', { method: 'PUT' })
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'OPTIONS'])
    expect(await answer.text()).toBe('PUT is not served here. Use OPTIONS.')
  })

  it.each([{ 'content-length': '9' }, {}])(
    'for a file that is too large, with %j, says which way is open',
    async headers => {
      const answer = await post('/object/b/n', { ...KEY, ...headers }, '123456789')
      expect([answer.status, answer.headers.get('x-ratelimit-limit')]).toEqual([400, '100'])
      expect(await answer.json()).toMatchObject({
        statusCode: '413',
        error: 'Payload too large',
        detail: 'The body is larger than 8 bytes.',
        hint: expect.stringContaining('/storage/v1/upload/resumable'),
      })
    },
  )
})

describe('a key', () => {
  it.each([
    ['as bearer', { authorization: 'Bearer svc_pk_x' }, undefined],
    ['in both headers', { apikey: 'svc_pk_x', authorization: 'Bearer svc_pk_x' }, undefined],
    ['beside a user’s token', { apikey: 'svc_pk_x', authorization: 'Bearer token-of-ann' }, 'token-of-ann'],
  ])('is taken %s', async (_, headers, user) => {
    const answer = await post('/object/b/a/n', headers as Record<string, string>, '12345678')
    expect([answer.status, await answer.json()]).toEqual([200, { size: 8, ...(user && { user }) }])
  })
})

describe('a page of any origin', () => {
  const origin = 'https://app.example'

  it('may send whatever headers it asks for, by any method', async () => {
    const headers = {
      origin,
      'access-control-request-method': 'PATCH',
      'access-control-request-headers': 'tus-resumable, x-signature, x-anything',
    }
    for (const path of ['/upload/resumable', '/object/b/n', '/nothing']) {
      const answer = await ask(path, { method: 'OPTIONS', headers })
      expect(answer.status).toBe(204)
      expect(answer.headers.get('tus-version')).toBeNull()
      expect(answer.headers.get('access-control-allow-headers')).toBe(
        headers['access-control-request-headers'],
      )
      for (const method of ['PATCH', 'PUT', 'DELETE', 'HEAD'])
        expect(answer.headers.get('access-control-allow-methods')).toContain(method)
    }
  })

  it.each([{}, { origin }])('and whoever asks what TUS can do hears it, with %j', async headers => {
    const answer = await ask('/upload/resumable', { method: 'OPTIONS', headers })
    expect([answer.status, answer.headers.get('tus-version')]).toEqual([204, '1.0.0'])
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
  })

  // The list that storage-js, tus-js-client and postgrest-js read between them.
  it('may read the headers that its clients go by', async () => {
    const exposed = (await ask(`${PUBLIC}/a`)).headers.get('access-control-expose-headers')?.toLowerCase()
    const needed =
      'content-range location preference-applied etag x-total-count upload-offset upload-length tus-resumable ' +
      'tus-version tus-extension tus-max-size upload-expires retry-after x-request-id ratelimit'
    expect(exposed?.split(', ')).toEqual(expect.arrayContaining(needed.split(' ')))
  })
})

it('is described with names in braces, and with refusals in the shape of its own', () => {
  const named = routes.map(route => ({ ...route, id: `reference.${route.id.replace('.', '_')}` }))
  const { paths, components } = openApiDocument(named, 'http://quoin.test') as {
    paths: Record<string, { post: { parameters: { name: string }[]; responses: object; security: object[] } }>
    components: { responses: object }
  }
  const { parameters, responses } = paths['/storage/v1/object/{bucket}/{name}']?.post ?? {}
  expect(parameters?.map(({ name }) => name)).toEqual(['bucket', 'name'])
  expect(responses).toMatchObject({ default: { $ref: '#/components/responses/StorageError' } })
  expect(components.responses).toHaveProperty('StorageError')
})
