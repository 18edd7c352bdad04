// Slow senders together must not take an isolate's memory, with everybody's requests in it.

import { expect, it } from 'vitest'
import { HeldBytes } from '../../../src/features/storage/blobs/held-bytes.ts'

it('refuses what all bodies together have no room for, and takes it once one has ended', () => {
  const held = new HeldBytes(100)
  const [first, second] = [held.open(), held.open()]
  first.grow(60)
  second.grow(40)
  // A part that was handed on leaves its memory for the next.
  second.grow(10)
  second.grow(40)
  expect(() => second.grow(41)).toThrow(/Too many uploads/)
  first.close()
  second.grow(100)
  expect(() => held.open().grow(1)).toThrow(expect.objectContaining({ code: 'storage_unavailable' }))
})
