// An image in another size, as an answer. The row is found and allowed before.

import { blobKey } from '../names.ts'
import type { FileRow } from '../object-row.ts'
import { type ContentOptions, contentHeaders } from '../objects/content-headers.ts'
import { type RenderDeps, renderImage } from './render-image.ts'
import type { Transformation } from './transformation.ts'

/** The makings of a response. */
export interface ImageAnswer {
  readonly status: 200
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array<ArrayBuffer> | null
}

interface ImageRequest {
  readonly method: string
  readonly headers: Headers
}

/** The answer. Throws as `renderImage` does, and what `countNew` throws before an image is made that is not kept. */
export async function serveImage(
  deps: RenderDeps,
  row: FileRow,
  transformation: Transformation,
  {
    request,
    options,
    countNew,
  }: { request: ImageRequest; options: ContentOptions; countNew: () => Promise<void> },
): Promise<ImageAnswer> {
  const source = { key: blobKey(row.bucket_id, row.version), size: row.metadata.size }
  const accept = request.headers.get('accept')
  const { bytes, contentType } = await renderImage(deps, source, transformation, { accept, countNew })
  // Of the file, its ETag and its ranges are not those of the image.
  const image = { ...row, metadata: { ...row.metadata, mimetype: contentType } }
  const { etag: _, 'accept-ranges': __, ...headers } = contentHeaders(image, options)
  return {
    status: 200,
    headers: {
      ...headers,
      'content-length': String(bytes.length),
      vary: 'accept',
    },
    body: request.method === 'HEAD' ? null : bytes,
  }
}
