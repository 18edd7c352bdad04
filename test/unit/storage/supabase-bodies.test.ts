// What clients of Supabase send beside what its documentation says.

import { expect, it } from 'vitest'
import { ListBody, SignBody } from '../../../src/features/storage/supabase/bodies.ts'

it('takes the seconds of a signed address as a text, as supabase-py sends them', () => {
  expect(SignBody.parse({ expiresIn: '60' })).toEqual({ expiresIn: 60 })
  for (const expiresIn of ['', '0', '1.5', '1e3', -1, null])
    expect(SignBody.safeParse({ expiresIn }).success).toBe(false)
})

it('gives a page to who asks for more', () => {
  expect(ListBody.parse({ prefix: '', limit: 10_000 })).toMatchObject({ limit: 1_000 })
  expect(ListBody.safeParse({ prefix: '', limit: 0 }).success).toBe(false)
})
