// What storage-js says of a copy, in headers and body. Pure.

import type * as z from 'zod'
import type { Copy } from '../objects/copy-object.ts'
import { checkedType, readMetadata } from '../objects/upload-headers.ts'
import type { SupabaseCopy } from './bodies.ts'

/** The source's metadata come along unless `copyMetadata` is false; what `metadata` names is replaced. */
export function copyOptions(
  headers: Headers,
  { copyMetadata, metadata = {} }: z.output<typeof SupabaseCopy>,
  ownerId: string | null,
): Copy {
  const { cacheControl, mimetype } = metadata
  const userMetadata = readMetadata(headers.get('x-metadata'))
  return {
    mode: headers.get('x-upsert') === 'true' ? 'replace' : 'create',
    ownerId,
    userMetadata: userMetadata ?? (copyMetadata ? undefined : null),
    changes: {
      ...(cacheControl !== undefined && { cacheControl }),
      ...(mimetype !== undefined && { mimetype: checkedType(mimetype) }),
    },
  }
}
