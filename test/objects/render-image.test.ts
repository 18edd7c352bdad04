// Guards: images in other sizes are made of real files by the platform's binding, once each, and none that could
// exhaust anything is decoded.

import { env } from 'cloudflare:workers'
import { beforeEach, expect, it, vi } from 'vitest'
import { makeBlobStore } from '../../src/features/storage/blobs/blob-store.ts'
import type { Bucket } from '../../src/features/storage/blobs/bucket.ts'
import { makeImageCache } from '../../src/features/storage/images/image-cache.ts'
import type { Images } from '../../src/features/storage/images/images-binding.ts'
import { renderImage } from '../../src/features/storage/images/render-image.ts'
import { readTransformation } from '../../src/features/storage/images/transformation.ts'

const { STORAGE, IMAGES } = env as { STORAGE: Bucket; IMAGES: Images }
const blobs = makeBlobStore(STORAGE)
const imageCache = makeImageCache()
const deps = { images: IMAGES, blobs, imageCache }
const countNew = vi.fn(async () => {})
beforeEach(() => void countNew.mockClear())

const fromBase64 = (text: string) => Uint8Array.from(atob(text), character => character.charCodeAt(0))
const GIF = fromBase64('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7')
const WEBP = fromBase64('UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA')
const encoder = new TextEncoder()

function crc(bytes: Uint8Array): number {
  let value = 0xffffffff
  for (const byte of bytes) {
    value ^= byte
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  }
  return (value ^ 0xffffffff) >>> 0
}

function chunk(type: string, data: Uint8Array): Uint8Array {
  const whole = new Uint8Array(12 + data.length)
  const view = new DataView(whole.buffer)
  view.setUint32(0, data.length)
  whole.set(encoder.encode(type), 4)
  whole.set(data, 8)
  view.setUint32(8 + data.length, crc(whole.subarray(4, 8 + data.length)))
  return whole
}

/** A grey PNG of these sides. */
async function png(width: number, height: number): Promise<Uint8Array> {
  const header = new Uint8Array(13)
  const view = new DataView(header.buffer)
  view.setUint32(0, width)
  view.setUint32(4, height)
  header[8] = 8
  const rows = new Blob([new Uint8Array((width + 1) * height)]).stream()
  const data = await new Response(rows.pipeThrough(new CompressionStream('deflate'))).arrayBuffer()
  const parts = [chunk('IHDR', header), chunk('IDAT', new Uint8Array(data)), chunk('IEND', new Uint8Array())]
  const signature = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)
  return new Uint8Array(await new Blob([signature, ...parts]).arrayBuffer())
}

async function store(bytes: Uint8Array) {
  const key = `images/${crypto.randomUUID()}`
  await blobs.put(key, bytes, { length: bytes.length, database: 'test' })
  return { key, size: bytes.length }
}

const info = (bytes: Uint8Array<ArrayBuffer>) => IMAGES.info(new Blob([bytes]).stream())
const render = (source: Awaited<ReturnType<typeof store>>, query: Record<string, string>, accept = '') =>
  renderImage(deps, source, readTransformation(query), { accept, countNew })
const refusal = (detail: RegExp) => ({ code: 'image_not_possible', detail: expect.stringMatching(detail) })

it.each([
  ['one side', { width: '50' }, [50, 25]],
  ['cover', { width: '50', height: '50' }, [50, 50]],
  ['contain', { width: '50', height: '50', resize: 'contain' }, [50, 25]],
  ['fill', { width: '30', height: '70', fit: 'fill' }, [30, 70]],
  ['no larger than it is', { width: '2500' }, [100, 50]],
])('makes an image of the size asked for: %s', async (_, query, [width, height]) => {
  const source = await store(await png(100, 50))
  const image = await render(source, query)
  expect(image.contentType).toBe('image/png')
  expect(await info(image.bytes)).toMatchObject({ format: 'image/png', width, height })
})

it.each([
  [{ format: 'avif' }, '', 'image/avif'],
  [{ format: 'jpeg' }, 'image/webp', 'image/jpeg'],
  [{}, 'image/avif,image/webp,*/*', 'image/webp'],
  [{ format: 'origin' }, 'image/webp', 'image/png'],
])('writes the format asked for: %j of a browser that takes "%s"', async (query, accept, type) => {
  const source = await store(await png(10, 10))
  const image = await render(source, { width: '5', ...query }, accept)
  expect(image.contentType).toBe(type)
  expect(await info(image.bytes)).toMatchObject({ format: type })
})

it.each([
  ['image/gif', GIF, 'image/png'],
  ['image/webp', WEBP, 'image/webp'],
])('reads %s, whatever it was called', async (_, bytes, made) => {
  expect((await render(await store(bytes), { width: '1' })).contentType).toBe(made)
})

it('makes an image once, and counts that alone', async () => {
  const source = await store(await png(20, 20))
  const first = await render(source, { width: '10' })
  expect(await render(source, { width: '10' })).toEqual(first)
  expect(countNew).toHaveBeenCalledTimes(1)
  // What is kept is for those who read its format.
  expect((await render(source, { width: '10' }, 'image/webp')).contentType).toBe('image/webp')
  expect((await render(await store(await png(9, 9)), { width: '10' })).bytes).not.toEqual(first.bytes)
  countNew.mockRejectedValueOnce(new Error('too many'))
  await expect(render(source, { width: '11' })).rejects.toThrow('too many')
})

it('refuses what is too large before it is decoded', async () => {
  const tall = await store(await png(1, 60_000))
  await expect(render(tall, { width: '2500' })).rejects.toMatchObject(refusal(/1 by 60000/))
  const wide = await store(await png(10_000, 6_000))
  await expect(render(wide, { width: '10' })).rejects.toMatchObject(refusal(/10000 by 6000/))
  const heavy = { key: 'images/none', size: 21 * 1_048_576 }
  await expect(render(heavy, { width: '10' })).rejects.toMatchObject(refusal(/22020096 bytes/))
})

it('makes the first frame of an animation of 10 000 frames', async () => {
  const frame = GIF.subarray(19, -1)
  const head = GIF.subarray(0, 19)
  const frames = new Uint8Array(
    await new Blob([head, ...Array(10_000).fill(frame), Uint8Array.of(0x3b)]).arrayBuffer(),
  )
  const image = await render(await store(frames), { width: '1' })
  expect(await info(image.bytes)).toMatchObject({ format: 'image/png', width: 1, height: 1 })
})

/** A binding that says of everything that it is a small PNG, and makes of it what is said. */
function binding(image: ReadableStream<Uint8Array>) {
  const output = vi.fn(async () => ({ image: () => image }))
  const images = {
    info: async () => ({ format: 'image/png', width: 10, height: 10 }),
    input: () => ({ transform: () => ({ output }) }),
  } as unknown as Images
  return { images, output }
}

function renderBy(images: Images, query: Record<string, string>, source = { key: 'images/any', size: 10 }) {
  const blob = { body: new ReadableStream<Uint8Array>(), size: 10 }
  const deps = { images, imageCache, blobs: { get: async () => blob } }
  return renderImage(deps, source, readTransformation(query), { accept: null, countNew })
}

it('asks for one frame, in the quality that was said', async () => {
  const { images, output } = binding(new Blob(['made']).stream())
  await renderBy(images, { quality: '40' }, { key: crypto.randomUUID(), size: 10 })
  expect(output).toHaveBeenCalledExactlyOnceWith({ format: 'image/png', quality: 40, anim: false })
})

it('holds no result of any size, and waits for none without end', async () => {
  const endless = new ReadableStream({ pull: controller => controller.enqueue(new Uint8Array(1_048_576)) })
  await expect(renderBy(binding(endless).images, {})).rejects.toMatchObject(
    refusal(/more than 20971520 bytes/),
  )
  vi.useFakeTimers()
  try {
    const waiting = expect(renderBy(binding(new ReadableStream()).images, {})).rejects
    const refused = waiting.toMatchObject(refusal(/too long/))
    await vi.advanceTimersByTimeAsync(30_000)
    await refused
  } finally {
    vi.useRealTimers()
  }
})

it('says so when the store has lost the file, or fails', async () => {
  const lost = { key: 'images/none', size: 10 }
  await expect(render(lost, { width: '10' })).rejects.toMatchObject({ code: 'object_not_found' })
  const failing = makeBlobStore({ ...STORAGE, get: () => Promise.reject(new Error('10001')) })
  await expect(
    renderImage({ ...deps, blobs: failing }, lost, readTransformation({}), { accept: null, countNew }),
  ).rejects.toMatchObject({ code: 'storage_unavailable' })
})

it('refuses what is no image, an SVG, a damaged file, and all where there is no binding', async () => {
  const svg = encoder.encode('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>')
  await expect(render(await store(svg), { width: '1' })).rejects.toMatchObject(refusal(/svg/))
  const damaged = await store((await png(100, 100)).subarray(0, 60))
  await expect(render(damaged, { width: '1' })).rejects.toMatchObject({ code: 'image_not_possible' })
  const garbage = await store(encoder.encode('not an image'))
  await expect(render(garbage, { width: '1' })).rejects.toMatchObject({ code: 'image_not_possible' })
  await expect(
    renderImage({ ...deps, images: undefined }, garbage, readTransformation({}), { accept: null, countNew }),
  ).rejects.toMatchObject(refusal(/no binding IMAGES/))
})
