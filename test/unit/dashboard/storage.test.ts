// The storage views: what is typed of a bucket is what is sent, and nothing of a file is shown as what it could run as.

import { expect, it } from 'vitest'
import { policyGroups } from '../../../dashboard/src/views/storage/bucket/policy-groups.ts'
import { previewKind } from '../../../dashboard/src/views/storage/bucket/preview-kind.ts'
import { refusalOf, UNKNOWN_TYPE } from '../../../dashboard/src/views/storage/bucket/uploads/refusal.ts'
import { changesOf, draftOf, settingsOf } from '../../../dashboard/src/views/storage/bucket-draft.ts'
import { checkFile } from '../../../src/features/storage/writes/limits.ts'

const settings = { public: false, file_size_limit: 5 * 1024 ** 2, allowed_mime_types: ['image/*'] }

it('shows a limit in the unit that it fits, and sends it as it was', () => {
  for (const bytes of [null, 1, 1_000, 1_024, 1_536 * 1_024, 3 * 1_024 ** 3]) {
    const bucket = { ...settings, file_size_limit: bytes }
    expect(settingsOf(draftOf(bucket))).toEqual(bucket)
    expect(changesOf(bucket, draftOf(bucket))).toEqual({})
  }
  expect(draftOf(settings)).toMatchObject({ limit: '5', unit: 'MiB' })
})

it('sends what was changed and nothing else, and what is no number as it was typed', () => {
  const draft = draftOf(settings)
  expect(changesOf(settings, { ...draft, isPublic: true })).toEqual({ public: true })
  expect(changesOf(settings, { ...draft, limit: '1.5', unit: 'KiB' })).toEqual({ file_size_limit: 1_536 })
  expect(changesOf(settings, { ...draft, limit: 'much' })).toEqual({ file_size_limit: 'much' })
  expect(changesOf(settings, { ...draft, limit: '', types: [] })).toEqual({
    file_size_limit: null,
    allowed_mime_types: null,
  })
})

it('shows pages and programs as text, and what it does not know not at all', () => {
  const kinds = {
    image: ['image/png', 'IMAGE/SVG+XML', 'image/svg+xml; charset=utf-8'],
    text: [
      'text/html',
      'application/xhtml+xml',
      'application/javascript',
      'application/ld+json',
      'text/x-script',
    ],
    pdf: ['application/pdf'],
    none: ['application/zip', 'application/x-msdownload', '', null],
  }
  for (const [kind, types] of Object.entries(kinds))
    for (const content_type of types)
      expect(previewKind({ content_type, size: 10 }), `${content_type}`).toBe(kind)
  expect(previewKind({ content_type: 'image/png', size: 30 * 1_024 ** 2 })).toBe('none')
})

it('refuses before the upload what the server would refuse, and nothing else', () => {
  const server = (file: { size: number; type: string }, types: string[] | null) => {
    const contentType = file.type || UNKNOWN_TYPE
    try {
      checkFile({ size: file.size, contentType }, { fileSizeLimit: 10, allowedMimeTypes: types }, 10)
      return true
    } catch {
      return false
    }
  }
  for (const allowed_mime_types of [
    null,
    [],
    ['image/*'],
    ['Image/PNG'],
    ['*/*'],
    ['text/plain', UNKNOWN_TYPE],
  ])
    for (const type of ['', 'image/png', 'IMAGE/PNG', 'text/plain;charset=utf-8', 'image', 'imagery/png'])
      for (const size of [0, 10, 11]) {
        const isTaken = refusalOf({ size, type }, { file_size_limit: 10, allowed_mime_types }) === null
        expect(isTaken, `${type} in ${allowed_mime_types}`).toBe(server({ size, type }, allowed_mime_types))
      }
})

it('tells policies of this bucket from those of others and of none', () => {
  const policy = (using: string | null, check: string | null = null) => ({ using, check })
  const ofThis = [
    policy("(bucket_id = 'it''s'::text)"),
    policy(null, "(bucket_id = ANY (ARRAY['other'::text, 'it''s'::text]))"),
  ]
  const ofNone = [policy('true'), policy("(storage.extension(name) = 'other'::text)"), policy(null)]
  const ofOthers = [policy("((bucket_id = 'other'::text) AND (owner_id = auth.uid()))")]
  const policies = [...ofOthers, ...ofNone, ...ofThis]
  expect(policyGroups(policies, "it's", ['other', "it's"])).toEqual({ ofThis, ofNone, ofOthers })
})
