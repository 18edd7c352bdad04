// An image in another size, as an answer. The row is found and allowed before.

import type { AddressGate } from '../../api-keys/limit/address-gate.ts'
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

type Deps = RenderDeps & { readonly addressGate: Pick<AddressGate, 'count'> }

/** Who asks, and how. */
interface Asked {
  readonly request: { readonly method: string; readonly headers: Headers }
  readonly caller: { readonly address: string | null }
}

/**
 * The answer. An image that is not kept is counted against the client's address before it is made. Throws as
 * `renderImage` does, and `rate_limited`.
 */
export async function serveImage(
  deps: Deps,
  row: FileRow,
  transformation: Transformation,
  { request, caller }: Asked,
  options: ContentOptions,
): Promise<ImageAnswer> {
  const countNew = () => deps.addressGate.count('render', caller.address)
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
