// Images that are no images, that are too many, or that would be too large once decoded, through the whole Worker and
// both its faces: a clear error each time, and the Worker makes the next image as ever.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeKey } from '../support/keys.ts'
import { png } from '../support/png.ts'
import { connectOwner, type TestClient } from '../support/postgres.ts'
import { startTestWorker, type TestWorker } from '../support/worker.ts'

const BUCKET = `images-${crypto.randomUUID()}`
/** New sizes for one address in a minute. */
const LIMIT = 5

let owner: TestClient
let quoin: TestWorker
let service: { apikey: string }

beforeAll(async () => {
  quoin = await startTestWorker({ vars: { STORAGE_RENDER_RATE_LIMIT_PER_MINUTE: String(LIMIT) } })
  owner = await connectOwner()
  await owner.query('insert into storage.buckets (id, name, public) values ($1, $1, true)', [BUCKET])
  service = { apikey: (await makeKey('service_role', { rateLimitPerMinute: 10_000 })).key }
})
afterAll(async () => {
  for (const table of ['storage.objects', 'quoin.lost_versions'])
    await owner.query(`delete from ${table} where bucket_id = $1`, [BUCKET])
  await owner.query('delete from storage.buckets where id = $1', [BUCKET])
  await owner.end()
  await quoin?.close()
})

const GIF = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')
const FRAME = GIF.subarray(19, -1)

/** A GIF of this many frames; the first may claim other sides than the screen has. */
function gif(frames: number, side = 1): Buffer<ArrayBuffer> {
  const first = Buffer.from(FRAME)
  first.writeUInt16LE(side, 13)
  first.writeUInt16LE(side, 15)
  return Buffer.concat([GIF.subarray(0, 19), first, ...Array(frames - 1).fill(FRAME), GIF.subarray(-1)])
}

async function upload(name: string, body: Buffer<ArrayBuffer>, type = 'image/png'): Promise<void> {
  const headers = { ...service, 'content-type': type }
  const answer = await quoin.fetch(`/v1/storage/objects/${BUCKET}/${name}`, { method: 'PUT', headers, body })
  expect(answer.status, await answer.clone().text()).toBe(200)
}

let lastAddress = 0
const newAddress = () => `203.0.113.${++lastAddress}`

const FACES = [
  ['/v1/storage', `/v1/storage/render/${BUCKET}`],
  ['/storage/v1', `/storage/v1/render/image/authenticated/${BUCKET}`],
  ['a public address', `/storage/v1/render/image/public/${BUCKET}`],
] as const

function render(face: string, name: string, query: string, address = newAddress()): Promise<Response> {
  const key = face.includes('/public/') ? {} : service
  return quoin.fetch(`${face}/${name}?${query}`, { headers: { ...key, 'cf-connecting-ip': address } })
}

const SVG = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>1</script></svg>',
)

const REFUSED: readonly (readonly [
  what: string,
  file: () => Promise<Buffer<ArrayBuffer>> | Buffer<ArrayBuffer>,
  why: RegExp,
])[] = [
  ['1 by 60 000 pixels', () => png(1, 60_000), /1 by 60000 pixels/],
  ['30 000 by 30 000 pixels in 0.1 MB', () => png(30_000, 30_000), /30000 by 30000 pixels|could not read it/],
  ['a GIF whose frame is larger than its screen', () => gif(1, 65_535), /65535 by 65535|could not read it/],
  ['half of a JPEG', halfOfJpeg, /could not read it/],
  ['half of a PNG', () => png(100, 100).subarray(0, 60), /could not read it/],
  ['an SVG', () => SVG, /svg/],
  ['a page', () => Buffer.from('<!doctype html><p>no image'), /could not read it/],
  ['nothing', () => Buffer.alloc(0), /could not read it/],
]

async function halfOfJpeg(): Promise<Buffer<ArrayBuffer>> {
  await upload('whole.png', png(400, 400))
  const made = await render(FACES[0][1], 'whole.png', 'width=400&format=jpeg')
  expect(made.headers.get('content-type')).toBe('image/jpeg')
  const whole = Buffer.from(await made.arrayBuffer())
  return whole.subarray(0, whole.length >> 1)
}

it.each(REFUSED)('makes no other size of %s', async (what, file, why) => {
  const name = `${what.replaceAll(' ', '-')}.png`
  await upload(name, await file())
  for (const [, face] of FACES) {
    const answer = await render(face, name, 'width=10')
    const refusal = await answer.json()
    expect([answer.status, refusal]).toEqual([400, expect.objectContaining({ hint: expect.any(String) })])
    expect(refusal.detail).toMatch(why)
    if (face.startsWith('/v1')) expect(refusal).toMatchObject({ code: 'image_not_possible' })
    else expect(refusal).toMatchObject({ statusCode: '400', code: 'InvalidRequest', error: 'InvalidRequest' })
  }
})

it.each(FACES)('a GIF of 10 000 frames becomes its first: %s', async (_, face) => {
  await upload('frames.gif', gif(10_000), 'image/gif')
  const answer = await render(face, 'frames.gif', 'width=1')
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png'])
})

it.each(FACES)(
  'an address that wants a thousand sizes gets the first, and those again: %s',
  async (_, face) => {
    await upload('sizes.png', png(200, 200))
    const address = newAddress()
    const ask = async (width: number) => {
      const answer = await render(face, 'sizes.png', `width=${width}`, address)
      await answer.arrayBuffer()
      return answer
    }
    for (let width = 1; width <= LIMIT; width++) expect((await ask(width)).status).toBe(200)
    for (const width of [100, 101, 102]) {
      const refused = await ask(width)
      expect(refused.status).toBe(429)
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    }
    expect((await ask(1)).status).toBe(200)
    const other = await render(face, 'sizes.png', 'width=100')
    expect(other.status).toBe(200)
  },
)
