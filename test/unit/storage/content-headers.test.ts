// Stops: a type that a browser reads otherwise than Quoin does, so that a stranger's file runs as a page of our origin.

import { describe, expect, it } from 'vitest'
import type { BlobMetadata } from '../../../src/features/storage/object-row.ts'
import { contentHeaders } from '../../../src/features/storage/objects/content-headers.ts'

const PLAIN = { download: undefined, isPublic: true }

function headersOf(mimetype: string, options: Parameters<typeof contentHeaders>[1] = PLAIN) {
  const metadata: BlobMetadata = {
    eTag: '"e"',
    size: 1,
    mimetype,
    cacheControl: 'no-cache',
    lastModified: '2026-11-27T00:00:00.000Z',
    contentLength: 1,
    httpStatusCode: 200,
  }
  return contentHeaders({ name: 'a/b.bin', metadata }, options)
}

describe('the type of a file that goes out', () => {
  it.each([
    ['image/png', 'image/png'],
    ['text/plain; charset=utf-8', 'text/plain; charset=utf-8'],
    ['text/plain; charset="utf-8"', 'text/plain; charset="utf-8"'],
    // A recorder in a browser writes this.
    ['video/webm;codecs=vp8,opus', 'video/webm'],
    ['image/png;,text/html', 'image/png'],
    ['image/png; a="b,text/html', 'image/png'],
    ['image/png; a="b",text/html;x="y"', 'image/png'],
    ['application/pdf;,text/html', 'application/pdf'],
    ['image/png, text/html', 'image/png'],
    ['text/html', 'text/plain; charset=utf-8'],
    ['TEXT/HTML ;charset=x', 'text/plain; charset=utf-8'],
    ['text/html\t;a=b', 'text/plain; charset=utf-8'],
    ['', 'application/octet-stream'],
    ['image/png\r\nset-cookie: a=b', 'image/png'],
  ])('of %j is %s', (mimetype, served) => {
    const headers = headersOf(mimetype)
    expect([headers['content-type'], headers['x-content-type-options']]).toEqual([served, 'nosniff'])
  })
})

describe('a file that a browser opens', () => {
  it.each([
    'image/png',
    'text/plain',
    'application/json',
    'image/png;,text/html',
    'image/svg+xml',
    'image/svg',
    'video/x+xml',
    'video/svg',
    'audio/html',
    'text/html',
    'application/xhtml+xml',
    'text/javascript',
    'who/knows',
    '',
  ])('of type %j runs nothing, and is of no origin', mimetype => {
    expect(headersOf(mimetype)['content-security-policy']).toMatch(/(?:^|; )sandbox$/)
  })

  it('is saved where it could be a page', () => {
    for (const mimetype of [
      'image/svg+xml',
      'audio/x+xml',
      'text/html',
      'text/xml',
      'application/xhtml+xml',
      'who/knows',
    ])
      expect(headersOf(mimetype)['content-disposition'], mimetype).toMatch(/^attachment; filename="b.bin"/)
    for (const mimetype of ['image/png', 'application/pdf', 'text/plain'])
      expect(headersOf(mimetype)['content-disposition'], mimetype).toBeUndefined()
  })

  it.each(['application/pdf', 'video/mp4', 'audio/wav'])(
    'of type %s has no sandbox, in which Chrome plays none',
    mimetype => {
      expect(headersOf(mimetype)['content-security-policy']).toBeUndefined()
    },
  )
})
