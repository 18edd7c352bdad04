// What is said of a file that goes out: its type, how long to cache it, and that nothing in it runs here. Pure.

import type { FileRow } from '../object-row.ts'

/** Types that browsers show without running anything in them; nosniff keeps them what they are. */
const INERT = new RegExp(
  '^(?!.*(?:xml|svg|html))(?:(?:image|audio|video|font)/.+|text/(?:plain|csv|markdown)|' +
    'application/(?:pdf|json|octet-stream|zip|gzip|wasm))$',
)

export interface ContentOptions {
  /** Undefined: shown in place. Empty: saved under its own name, else under this one. */
  readonly download: string | undefined
  /** False: no cache that others share may keep it. */
  readonly isPublic: boolean
}

/** The headers of a file, its length and range aside. */
export function contentHeaders(
  { name, metadata }: Pick<FileRow, 'name' | 'metadata'>,
  { download, isPublic }: ContentOptions,
): Record<string, string> {
  const { type, full } = servedType(metadata.mimetype)
  const isInert = INERT.test(type)
  const headers: Record<string, string> = {
    'content-type': full,
    'cache-control': cacheControl(metadata.cacheControl, isPublic),
    'x-content-type-options': 'nosniff',
    'x-robots-tag': 'none',
    'accept-ranges': 'bytes',
    etag: metadata.eTag,
    'last-modified': new Date(metadata.lastModified).toUTCString(),
  }
  if (!isInert) headers['content-security-policy'] = NOTHING_RUNS
  else if (!SHOWN_BY_A_PLAYER.test(type)) headers['content-security-policy'] = 'sandbox'
  const fileName = name.split('/').at(-1) || name
  if (download !== undefined)
    headers['content-disposition'] = attachment(download === '' ? fileName : download)
  else if (!isInert) headers['content-disposition'] = attachment(fileName)
  return headers
}

/** Chrome's own players for these run nothing of the file, and do not work in a sandbox. */
const SHOWN_BY_A_PLAYER = /^(?:application\/pdf$|(?:audio|video)\/)/
/** Whatever a browser makes of it: no script runs, and nothing is of our origin. */
const NOTHING_RUNS = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

const TYPE = /^([\w.+-]+\/[\w.+-]+)\s*(.*)$/
const PARAMETERS = /^(?:;\s*[\w.+-]+=(?:[\w.+:-]+|"[\w .+:/-]*")\s*)*$/

/**
 * The type that goes out: that of the uploader, with its parameters where these are plain. Browsers end a type at a
 * comma and take what follows for another one.
 */
function servedType(mimetype: string): { type: string; full: string } {
  const [, said = 'application/octet-stream', parameters = ''] = TYPE.exec(mimetype.trim()) ?? []
  const type = said.toLowerCase()
  // As Supabase: a page of somebody's shows its source, and is no page of ours.
  if (type === 'text/html') return { type, full: 'text/plain; charset=utf-8' }
  return { type, full: PARAMETERS.test(parameters) ? `${said}${parameters}` : said }
}

/** What answers to one caller must not be another's, whatever the uploader said. */
function cacheControl(uploaded: string, isPublic: boolean): string {
  const said = headerText(uploaded) || 'no-cache'
  if (isPublic) return said
  const kept = said.split(',').map(directive => directive.trim())
  return ['private', ...kept.filter(directive => !SHARED.test(directive))].join(', ')
}

/** Directives that let caches of others keep it, and those that `private` stands for. */
const SHARED = /^(?:public|s-maxage|proxy-revalidate|must-understand|private)(?:\s*=|$)|^$/i

/** A header holds what the uploader said, or its visible ASCII at least. */
function headerText(value: string): string {
  return value.replaceAll(/[^\x20-\x7e]/g, '').trim()
}

/** RFC 6266: any name, with a plain one for old programs. */
function attachment(fileName: string): string {
  const plain = fileName.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_')
  const encoded = encodeURIComponent(fileName.toWellFormed()).replaceAll(
    /['()*]/g,
    character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}
