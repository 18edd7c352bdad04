// How a file can be looked at here. Pure.

import type { Schema } from '../../../api/schema.ts'

/** `none`: as a download alone. */
export type PreviewKind = 'image' | 'audio' | 'video' | 'pdf' | 'text' | 'none'

/** Larger images are not fetched by themselves. */
const IMAGE_BYTES_MAX = 20 * 1024 * 1024

const TEXT =
  /^(?:text\/.*|application\/(?:.*\+)?(?:json|xml|yaml|x-yaml|toml|javascript|x-javascript|sql|x-sh|x-ndjson))$/

/**
 * By the type that came with the upload, which need not be true: nothing runs whatever the bytes are. An image is an
 * `<img>`, in which SVG has no scripts; a text is read and shown as text, HTML too.
 */
export function previewKind({
  content_type: type,
  size,
}: Pick<Schema<'StoredObject'>, 'content_type' | 'size'>): PreviewKind {
  const [plain = ''] = (type ?? '').toLowerCase().split(';')
  const [kind] = plain.split('/')
  if (kind === 'image') return (size ?? 0) > IMAGE_BYTES_MAX ? 'none' : 'image'
  if (kind === 'audio' || kind === 'video') return kind
  if (plain.trim() === 'application/pdf') return 'pdf'
  return TEXT.test(plain.trim()) ? 'text' : 'none'
}
