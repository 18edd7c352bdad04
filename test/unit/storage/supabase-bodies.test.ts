// What clients of Supabase send beside what its documentation says.

import { expect, it } from 'vitest'
import { ListBody, SignBody, SupabaseBucketIn } from '../../../src/features/storage/supabase/bodies.ts'
import { readSentFile } from '../../../src/features/storage/supabase/read-sent-file.ts'
import { parseBody } from '../../../src/http/validation.ts'

it('takes the seconds of a signed address as a text, as supabase-py sends them', () => {
  expect(SignBody.parse({ expiresIn: '60' })).toEqual({ expiresIn: 60 })
  for (const expiresIn of ['', '0', '1.5', '1e3', -1, null])
    expect(SignBody.safeParse({ expiresIn }).success).toBe(false)
})

it.each([
  [SignBody, { expiresIn: 'soon' }, 'body.expiresIn: must be whole seconds, 1 to'],
  [SignBody, { expiresIn: 1, transform: { width: {} } }, 'body.transform.width: must be a text or a number'],
  [
    SupabaseBucketIn,
    { name: 'a', file_size_limit: '20XB' },
    'body.file_size_limit: Invalid file size format',
  ],
])('says what is allowed in place of a value of several kinds', (schema, sent, words) => {
  expect(() => parseBody(schema, JSON.stringify(sent))).toThrow(words)
})

it('gives a page to who asks for more', () => {
  expect(ListBody.parse({ prefix: '', limit: 10_000 })).toMatchObject({ limit: 1_000 })
  expect(ListBody.safeParse({ prefix: '', limit: 0 }).success).toBe(false)
})

it.each([
  ['3600', 'max-age=3600'],
  ['public, max-age=1', 'public, max-age=1'],
  ['', 'no-cache'],
  ['9'.repeat(300), undefined],
  ['a\r\nx: y', undefined],
  ['a\0b', undefined],
  ['é', undefined],
  [`${'a'.repeat(254)}\u{1f600}`, undefined],
])('takes of a form what can be a Cache-Control: %j', async (cacheControl, read) => {
  const form = new FormData()
  form.append('cacheControl', cacheControl)
  form.append('', new Blob(['bytes']))
  const { headers, body } = new Request('http://host.invalid', { method: 'POST', body: form })
  const upload = readSentFile(headers, body)
  if (read === undefined) await expect(upload).rejects.toMatchObject({ code: 'invalid_parameter' })
  else await expect(upload).resolves.toMatchObject({ cacheControl: read })
})
