// An image in another size or format, made by the platform and kept. What is too large is refused before it is decoded:
// by the size in the row, and by the sides that the file itself names. Animations become their first frame.

import { DomainError } from '../../../errors.ts'
import { ByteBuffer } from '../../../lib/byte-buffer.ts'
import { DeadlinePassed, deadline } from '../../../lib/deadline.ts'
import type { BlobStore } from '../blobs/blob-store.ts'
import type { ImageCache, RenderedImage } from './image-cache.ts'
import type { ImageFit, ImageInfo, Images, OutputType } from './images-binding.ts'
import { outputTypeOf, type Transformation, transformationText } from './transformation.ts'

const SOURCE_BYTES_MAX = 20 * 1_048_576
const SOURCE_PIXELS_MAX = 50_000_000
/** Of one side; the platform itself takes no more. */
const SOURCE_SIDE_MAX = 12_000
/** The image is held whole, to be kept. */
const RESULT_BYTES_MAX = 20 * 1_048_576
const RENDER_TIMEOUT_MS = 30_000
const TYPES: Readonly<Record<string, OutputType>> = {
  'image/avif': 'image/avif',
  'image/jpeg': 'image/jpeg',
  'image/png': 'image/png',
  'image/webp': 'image/webp',
  'image/gif': 'image/png',
}

export interface RenderDeps {
  /** Undefined: the deployment makes no images. */
  images: Images | undefined
  blobs: Pick<BlobStore, 'get'>
  imageCache: ImageCache
}

/** The file, as its row has it. */
export interface ImageSource {
  /** Of the blob: another one with each version. */
  key: string
  size: number
}

export interface RenderRequest {
  accept: string | null
  /** Called before an image is made that is not kept, so that it can be counted; what it throws is thrown. */
  countNew: () => Promise<void>
}

/**
 * The image. Throws `image_not_possible` where file or deployment do not allow it, `object_not_found` when the bytes
 * are lost, and `storage_unavailable`.
 */
export async function renderImage(
  deps: RenderDeps,
  source: ImageSource,
  transformation: Transformation,
  { accept, countNew }: RenderRequest,
): Promise<RenderedImage> {
  const { images, imageCache } = deps
  if (images === undefined) throw notPossible('This deployment makes no images: it has no binding IMAGES.')
  checkSource(source)
  const type = outputTypeOf(transformation, accept)
  const name = `${source.key} ${transformationText({ ...transformation, format: undefined })} ${type ?? 'origin'}`
  const kept = await imageCache.find(name)
  if (kept !== undefined) return kept
  await countNew()
  const image = await withinTime(make({ ...deps, images }, source, transformation, type))
  await imageCache.keep(name, image)
  return image
}

/** Only the bytes say what a file is: storage-js calls all text that it was told no type of. */
function checkSource({ size }: ImageSource): void {
  if (size > SOURCE_BYTES_MAX)
    throw notPossible(`The file has ${size} bytes; images are made of files up to ${SOURCE_BYTES_MAX}.`)
}

async function make(
  deps: RenderDeps & { images: Images },
  source: ImageSource,
  transformation: Transformation,
  type: OutputType | undefined,
): Promise<RenderedImage> {
  try {
    const ownType = checkInfo(await deps.images.info(await open(deps, source)))
    const contentType = type ?? ownType
    const { width, height, quality } = transformation
    const result = await deps.images
      .input(await open(deps, source))
      .transform({
        ...(width !== undefined && { width }),
        ...(height !== undefined && { height }),
        fit: fitOf(transformation),
      })
      .output({ format: contentType, ...(quality !== undefined && { quality }), anim: false })
    return { bytes: await readWhole(result.image()), contentType }
  } catch (cause) {
    if (cause instanceof DomainError) throw cause
    throw notPossible('The platform could not read it as an image, or not write it in this format.', cause)
  }
}

async function open({ blobs }: RenderDeps, { key }: ImageSource): Promise<ReadableStream<Uint8Array>> {
  const blob = await blobs.get(key)
  if (blob === null) throw new DomainError('object_not_found', 'The store has lost the bytes of the file.')
  return blob.body
}

/** The format that the file has, or that stands for it. */
function checkInfo({ format, width, height }: ImageInfo): OutputType {
  const type = TYPES[format]
  if (type === undefined || width === undefined || height === undefined)
    throw notPossible(`The file is ${format}, of which no other size can be made.`)
  if (Math.max(width, height) > SOURCE_SIDE_MAX || width * height > SOURCE_PIXELS_MAX)
    throw notPossible(
      `The image has ${width} by ${height} pixels; a side may have ${SOURCE_SIDE_MAX}, all ${SOURCE_PIXELS_MAX}.`,
    )
  return type
}

/** With one side alone there is nothing to cut off or to distort. */
function fitOf({ width, height, resize }: Transformation): ImageFit {
  if (width === undefined || height === undefined || resize === 'contain') return 'scale-down'
  return resize === 'fill' ? 'squeeze' : 'crop'
}

async function readWhole(stream: ReadableStream<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new ByteBuffer(RESULT_BYTES_MAX)
  for await (const chunk of stream) {
    if (chunk.length > bytes.room) throw notPossible(`The result has more than ${RESULT_BYTES_MAX} bytes.`)
    bytes.append(chunk)
  }
  return bytes.view()
}

async function withinTime<T>(work: Promise<T>): Promise<T> {
  try {
    return await deadline(RENDER_TIMEOUT_MS, work)
  } catch (err) {
    if (err instanceof DeadlinePassed) throw notPossible('It took too long.', err)
    throw err
  }
}

function notPossible(detail: string, cause?: unknown): DomainError {
  return new DomainError('image_not_possible', 'No such image can be made of this file.', {
    detail,
    hint: 'Ask for the file itself, or upload a smaller one as JPEG, PNG, WebP, AVIF or GIF.',
    cause,
  })
}
