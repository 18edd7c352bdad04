// What wrong calls of storage get: a clear error, and behind it no object, no count and no record of a write; what was
// there is there. A store that fails is in agreement.test.ts, TUS in resumable-uploads.test.ts.

import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest'
import { makeKey } from '../../support/keys.ts'
import { connectOwner, type TestClient } from '../../support/postgres.ts'
import { startTestWorker, type TestWorker } from '../../support/worker.ts'
import { type Credential, type FileIn, send, sendFile } from './faces.ts'

const BUCKET = `bad-input-${randomUUID()}`
const OBJECTS = `/v1/storage/objects/${BUCKET}`
const LIMIT = 100
const TEXT = { body: 'is there', type: 'text/plain' }

let owner: TestClient
let service: Credential
let anon: Credential
/** Signs with another key, and gives anon statements half a second. */
let elsewhere: TestWorker

beforeAll(async () => {
  owner = await connectOwner()
  await owner.query(
    "insert into storage.buckets (id, name, file_size_limit, allowed_mime_types) values ($1, $1, $2, '{text/*}')",
    [BUCKET, LIMIT],
  )
  const roomy = { rateLimitPerMinute: 10_000 }
  service = { apikey: (await makeKey('service_role', roomy)).key }
  anon = { apikey: (await makeKey('anon', roomy)).key }
  expect((await sendFile('POST', `${OBJECTS}/there.txt`, service, TEXT)).status).toBe(201)
  elsewhere = await startTestWorker({
    vars: { STORAGE_SIGNING_KEYS: Buffer.alloc(32, 7).toString('base64'), ANON_STATEMENT_TIMEOUT_MS: '500' },
  })
})
afterEach(async () => {
  // What the test itself has made is gone; of what was refused there is nothing.
  const { data } = await (await send('GET', OBJECTS, service)).json()
  expect(data).toMatchObject([{ name: 'there.txt', size: TEXT.body.length }])
  await expect.poll(leftovers).toEqual([])
})
afterAll(async () => {
  await elsewhere?.close()
  for (const table of ['storage.objects', 'quoin.lost_versions'])
    await owner.query(`delete from ${table} where bucket_id = $1`, [BUCKET])
  await owner.query('delete from storage.buckets where id = $1', [BUCKET])
  await owner.end()
})

/** Records of writes that nobody has finished. */
async function leftovers(): Promise<unknown[]> {
  return (await owner.query('select version from quoin.storage_claims where bucket_id = $1', [BUCKET])).rows
}

/** Deletes what a test has made, and what is noted of it. */
async function forget(name: string): Promise<void> {
  await owner.query('delete from storage.objects where bucket_id = $1 and name = $2', [BUCKET, name])
  await owner.query('delete from quoin.lost_versions where bucket_id = $1', [BUCKET])
}

async function refusalOf(answer: Promise<Response>): Promise<[number, string]> {
  const response = await answer
  const { code, hint } = await response.json()
  // What a policy says or does is the policy's own.
  if (!/^[0-9A-Z]{5}$/.test(code)) expect(hint, 'what to do').toEqual(expect.any(String))
  return [response.status, code]
}

it.each(['.', '..', 'a/b', 'größe', ' a', 'a\n', 'a'.repeat(101), ''])(
  'no bucket is called %j',
  async name => {
    const made = send('POST', '/v1/storage/buckets', service, { name })
    expect(await refusalOf(made)).toEqual([400, 'invalid_bucket_name'])
  },
)

/** What Postgres cannot store, or is beyond all bounds, no body may have. */
const NO_NAMES: readonly (readonly [what: string, name: string, code: string])[] = [
  ['dots', '..', 'invalid_object_name'],
  ['dots inside', 'a/../b', 'invalid_object_name'],
  ['a dot in front', './a', 'invalid_object_name'],
  ['a line break', 'a\nb', 'invalid_object_name'],
  ['a control character of Latin-1', 'a\u0085', 'invalid_object_name'],
  ['1 026 bytes', 'ü'.repeat(513), 'invalid_object_name'],
  ['2 000 characters', 'a'.repeat(2_000), 'validation_failed'],
  ['NUL', 'a\0b', 'validation_failed'],
  ['half of a pair', '\ud800', 'validation_failed'],
]

it.each(NO_NAMES)('no object is called %s', async (_, name, code) => {
  const [from, to] = [
    { bucket: BUCKET, name: 'there.txt' },
    { bucket: BUCKET, name },
  ]
  for (const verb of ['copy', 'move'])
    expect(await refusalOf(send('POST', `/v1/storage/${verb}`, service, { from, to }))).toEqual([400, code])
})

const many = (bytes: number): FileIn => ({ body: 'x'.repeat(bytes), type: 'text/plain' })
const streamed = () =>
  fetch(`${inject('stack').base_url}${OBJECTS}/new`, {
    method: 'POST',
    headers: { ...service, 'content-type': 'text/plain' },
    body: new Blob([many(LIMIT + 1).body]).stream(),
    duplex: 'half',
  } as RequestInit)

const put = (name: string) => sendFile('PUT', `${OBJECTS}/${name}`, service, TEXT)
const post = (name: string, file: FileIn) => sendFile('POST', `${OBJECTS}/${name}`, service, file)
const image = (query: string) => send('GET', `/v1/storage/render/${BUCKET}/there.txt?${query}`, service)
const range = (asked: string) => send('GET', `${OBJECTS}/there.txt`, { ...service, range: asked })
const inBucket = (bucket: string) => sendFile('POST', `/v1/storage/objects/${bucket}/a`, service, TEXT)

it.each<[string, () => Promise<Response>, number, string]>([
  ['a control character in a path', () => put('a%00b'), 400, 'invalid_object_name'],
  ['a path of 2 000 characters', () => put('a'.repeat(2_000)), 400, 'invalid_object_name'],
  ['encoded slashes and dots', () => put('a%2F..%2Fb'), 400, 'invalid_object_name'],
  ['another type', () => post('new', { ...TEXT, type: 'image/png' }), 415, 'mime_type_not_allowed'],
  ['what is no type', () => post('new', { ...TEXT, type: 'text' }), 415, 'mime_type_not_allowed'],
  ['more than the bucket takes', () => post('new', many(LIMIT + 1)), 413, 'object_too_large'],
  ['more than it takes, unsaid', streamed, 413, 'object_too_large'],
  ['a name that is taken', () => post('there.txt', many(1)), 409, 'object_exists'],
  ['a bucket that is not there', () => inBucket('nowhere'), 404, 'bucket_not_found'],
  ['a parameter that images do not have', () => image('gravity=ce'), 400, 'validation_failed'],
  ['a range past the end', () => range('bytes=8-'), 416, 'invalid_range'],
  ['several ranges', () => range('bytes=0-0,2-3'), 416, 'invalid_range'],
])('refuses %s', async (_, ask, status, code) => {
  expect(await refusalOf(ask())).toEqual([status, code])
})

it.each([
  ['multipart/form-data; boundary=x', '/storage/v1/object'],
  ['application/x-www-form-urlencoded', 'curl --data-binary'],
])('takes no file of the type %s, and says how to send it', async (type, hint) => {
  for (const method of ['POST', 'PUT']) {
    const answer = await sendFile(method, `${OBJECTS}/new`, service, { ...TEXT, type })
    expect(answer.status).toBe(415)
    expect((await answer.json()).hint).toContain(hint)
  }
})

it('says of a name that is taken how that may be replaced', async () => {
  await put('other')
  const [from, to] = ['other', 'there.txt'].map(name => ({ bucket: BUCKET, name }))
  const hintOf = async (answer: Promise<Response>) => (await (await answer).json()).hint
  const transferred = (verb: string) => hintOf(send('POST', `/v1/storage/${verb}`, service, { from, to }))
  expect(await hintOf(post('there.txt', many(1)))).toContain('PUT /v1/storage/objects')
  expect(await transferred('copy')).toContain('"replace": true')
  expect(await transferred('move')).toContain('delete what is there first')
  await forget('other')
})

it('an encoded slash is a slash', async () => {
  const made = await sendFile('PUT', `${OBJECTS}/folder%2Ffile`, service, TEXT)
  expect(await made.json()).toMatchObject({ name: 'folder/file' })
  expect((await send('GET', `${OBJECTS}/folder/file`, service)).status).toBe(200)
  await forget('folder/file')
})

/** Says so many bytes, sends these, and hangs up once `heard` says so. */
function sendRaw(
  said: number,
  body: string,
  heard: (answer: string) => boolean,
  { path = OBJECTS, type = 'text/plain' } = {},
): Promise<string> {
  const { hostname, port } = new URL(inject('stack').base_url)
  const socket = connect(Number(port), hostname)
  const head = [
    `POST ${path}/raw HTTP/1.1`,
    `host: ${hostname}`,
    `apikey: ${service['apikey']}`,
    `content-type: ${type}`,
  ]
  socket.write(`${head.join('\r\n')}\r\ncontent-length: ${said}\r\n\r\n${body}`)
  return new Promise(resolve => {
    let answer = ''
    const look = () => heard(answer) && socket.destroy()
    socket.on('data', data => {
      answer += data
      look()
    })
    socket.on('close', () => resolve(answer))
    socket.on('error', () => undefined)
    // The Worker has begun: its record is there.
    const begun = async () => {
      while (!socket.destroyed && (await leftovers()).length === 0)
        await new Promise(done => setImmediate(done))
      look()
    }
    void begun()
  })
}

it('an upload that is cut off leaves nothing', async () => {
  expect(await sendRaw(50, 'cut off', () => true)).toBe('')
})

it('of a body that is longer than it said, what was said is stored', async () => {
  const answer = await sendRaw(4, 'four and more', text => text.includes('\r\n\r\n'))
  expect(answer).toMatch(/^HTTP\/1.1 201/)
  expect(await (await send('GET', `${OBJECTS}/raw`, service)).text()).toBe('four')
  await forget('raw')
})

describe('a form', () => {
  const PATH = `/storage/v1/object/${BUCKET}`
  const TYPE = 'multipart/form-data; boundary=b'
  const END = '--b--\r\n'
  const part = (head: string, value: string) =>
    `--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n${value}\r\n`
  const file = (contents: string) => part('name=""; filename="a"\r\nContent-Type: text/plain', contents)
  const cacheControl = part('name="cacheControl"', '60')
  const FILE = 'the file'

  // How long the file is nobody says. It is guessed, and most of these are not as clients send them.
  it.each([
    ['a field in front of its file', FILE, cacheControl + file(FILE) + END],
    ['a field behind its file', FILE, file(FILE) + cacheControl + END],
    ['no line break at its end', FILE, cacheControl + file(FILE) + END.trim()],
    ['text behind its end', FILE, `${cacheControl}${file(FILE)}${END}text`],
    ['a file without a byte', '', cacheControl + file('') + END],
    ['such a file in front of a field', '', file('') + cacheControl + END],
    [
      'more than the bucket takes, but not in its file',
      FILE,
      file(FILE) + part('name="a"', 'x'.repeat(LIMIT)) + cacheControl + END,
    ],
  ])('with %s is stored as its file is', async (_, contents, body) => {
    const sent = await sendFile('POST', `${PATH}/form`, service, { body, type: TYPE })
    expect(sent.status, await sent.text()).toBe(200)
    const stored = await send('GET', `${OBJECTS}/form`, service)
    expect(await stored.text()).toBe(contents)
    expect(stored.headers.get('cache-control')).toContain('max-age=60')
    await forget('form')
  })

  it('whose file is larger than the bucket takes is refused', async () => {
    const body = file('x'.repeat(LIMIT + 1)) + END
    const sent = await sendFile('POST', `${PATH}/form`, service, { body, type: TYPE })
    expect(await sent.json()).toMatchObject({ statusCode: '413' })
  })

  // Bodies are read by 64 KiB: with so much in front of it the file begins as soon as it may.
  const rest = file(FILE) + cacheControl + END
  const inFront = 64 * 1024 - rest.indexOf(FILE) - part('name="a"', '').length
  const whole = part('name="a"', 'x'.repeat(inFront)) + rest
  it.each([
    ['in its file', whole.indexOf(FILE) + 2],
    ['behind its file', whole.indexOf(FILE) + FILE.length],
    ['in a field behind its file', whole.lastIndexOf('60') + 1],
    ['in its closing boundary', whole.length - 3],
  ])('that is cut off %s leaves nothing', async (_, end) => {
    const answer = await sendRaw(whole.length, whole.slice(0, end), () => true, { path: PATH, type: TYPE })
    expect(answer).toBe('')
  })
})

describe('two at once to one name', () => {
  const inParallel = async (method: string) => {
    await forget('at-once')
    const bodies = Array.from({ length: 8 }, (_, index) => `upload ${index}`)
    const answers = bodies.map(body => sendFile(method, `${OBJECTS}/at-once`, service, { ...TEXT, body }))
    const statuses = await Promise.all(answers.map(async answer => (await answer).status))
    const stored = await (await send('GET', `${OBJECTS}/at-once`, service)).text()
    const { rows: lost } = await owner.query('select from quoin.lost_versions where bucket_id = $1', [BUCKET])
    await forget('at-once')
    return { statuses, bodies, stored, lost: lost.length }
  }

  it('create it once', async () => {
    const { statuses, bodies, stored } = await inParallel('POST')
    expect(statuses.toSorted()).toEqual([201, ...Array.from({ length: 7 }, () => 409)])
    expect(stored).toBe(bodies[statuses.indexOf(201)])
  })

  it('replace each other, and each version is kept', async () => {
    const { statuses, bodies, stored, lost } = await inParallel('PUT')
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(bodies).toContain(stored)
    expect(lost).toBe(7)
  })
})

it.each([
  ['raises', "raise exception 'no' using hint = 'ask Ada'", 400, 'P0001'],
  ['sleeps', 'perform pg_sleep(60)', 504, '57014'],
  ['reads a name as what it is not', "perform 'new'::uuid", 400, '22P02'],
  ['may not do what it does', 'raise insufficient_privilege', 401, '42501'],
])('a policy that %s refuses the upload, in its own words', async (_, statement, status, code) => {
  const name = `"policy ${BUCKET}"`
  await owner.query(`create function public.${name}() returns boolean language plpgsql as
    $f$ begin ${statement}; return true; end $f$`)
  await owner.query(`grant execute on function public.${name} to anon`)
  await owner.query(`create policy ${name} on storage.objects for insert to anon
    with check (bucket_id = '${BUCKET}' and public.${name}())`)
  try {
    const answer = elsewhere.fetch(`${OBJECTS}/new`, {
      method: 'POST',
      headers: { ...anon, 'content-type': 'text/plain' },
      body: 'x',
    })
    const said = await (await answer).json()
    expect([(await answer).status, said.code]).toEqual([status, code])
    expect(said.hint ?? '').not.toContain('CREATE POLICY')
  } finally {
    await owner.query(`drop policy ${name} on storage.objects`)
    await owner.query(`drop function public.${name}`)
  }
})

describe('a signed address', () => {
  async function sign(way: 'download' | 'upload', who = service, expiresIn = 600): Promise<URL> {
    const names = [way === 'download' ? 'there.txt' : 'by-address.txt']
    const made = await send('POST', `/v1/storage/sign/${way}`, who, {
      bucket: BUCKET,
      names,
      expires_in: expiresIn,
    })
    return new URL((await made.json()).data[0].url)
  }
  const codeOf = async (answer: Response) => [answer.status, answer.ok ? 'done' : (await answer.json()).code]
  const get = async (url: URL) => codeOf(await fetch(url))
  const put = async (url: URL) => codeOf(await sendFile('PUT', url.href, {}, TEXT))
  const INVALID = [400, 'InvalidSignature']

  it('is refused when it was changed, is another’s, or goes the other way', async () => {
    const [download, upload] = [await sign('download'), await sign('upload')]
    const changed = new URL(download)
    changed.searchParams.set('token', `${download.searchParams.get('token')}x`)
    const another = new URL(download)
    another.pathname = another.pathname.replace('there.txt', 'other.txt')
    const [read, write] = ['/object/sign/', '/object/upload/sign/']
    expect(await get(download)).toEqual([200, 'done'])
    for (const url of [changed, another, new URL(upload.href.replace(write, read))])
      expect(await get(url)).toEqual(INVALID)
    expect(await put(new URL(download.href.replace(read, write)))).toEqual(INVALID)
    expect((await sendFile('PUT', download.href, {}, TEXT)).ok).toBe(false)
    expect((await fetch(upload)).ok).toBe(false)
  })

  it('is told that its token is missing', async () => {
    const url = await sign('download')
    for (const search of ['', '?token=']) {
      const said = await (await fetch(url.origin + url.pathname + search)).json()
      expect(said).toMatchObject({ code: 'InvalidSignature', message: 'The address has no token.' })
    }
  })

  it('is refused after its time, and after the signing key was changed', async () => {
    const url = await sign('download', service, 1)
    await expect.poll(() => get(url)).toEqual([400, 'ExpiredToken'])
    const { pathname, search } = await sign('download')
    expect(await codeOf(await elsewhere.fetch(pathname + search))).toEqual(INVALID)
  })

  it('rests while its project is paused, and outlives its key', async () => {
    const { rows } = await owner.query("insert into quoin.projects (name) values ('bad input') returning id")
    const project = rows[0].id
    const key = await makeKey('service_role', { projectId: project })
    const urls = [
      await sign('download', { apikey: key.key }),
      await sign('download', { apikey: key.key }, 601),
    ]
    const rotated = await send(
      'POST',
      `/v1/keys/${key.id}/rotate`,
      { apikey: key.key },
      { overlap_seconds: 0 },
    )
    expect(rotated.status, await rotated.text()).toBeLessThan(300)
    for (const url of urls) expect(await get(url)).toEqual([200, 'done'])
    await owner.query("update quoin.projects set status = 'paused' where id = $1", [project])
    for (const url of urls) await expect.poll(() => get(url)).toEqual([400, 'AccessDenied'])
    await owner.query("update quoin.projects set status = 'active' where id = $1", [project])
    for (const url of urls) await expect.poll(() => get(url)).toEqual([200, 'done'])
  })
})

it('an upload counts once against the limit of its key', async () => {
  const { key } = await makeKey('service_role', { rateLimitPerMinute: 1 })
  expect((await sendFile('POST', `${OBJECTS}/once`, { apikey: key }, TEXT)).status).toBe(201)
  expect(await refusalOf(sendFile('POST', `${OBJECTS}/twice`, { apikey: key }, TEXT))).toEqual([
    429,
    'rate_limited',
  ])
  await forget('once')
})
