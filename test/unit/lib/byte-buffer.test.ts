import { expect, it } from 'vitest'
import { ByteBuffer } from '../../../src/lib/byte-buffer.ts'

const BYTES_MAX = 10_000

it('takes what there is room for and gives back what is more', () => {
  const buffer = new ByteBuffer(BYTES_MAX)
  expect(buffer.fill(new Uint8Array([1, 2])).byteLength).toBe(0)
  expect(buffer.fill(new Uint8Array(BYTES_MAX).fill(3)).byteLength).toBe(2)
  expect(buffer.room).toBe(0)
  expect([...buffer.view().subarray(0, 3), buffer.view().byteLength]).toEqual([1, 2, 3, BYTES_MAX])
  buffer.clear()
  expect([buffer.room, buffer.view().byteLength]).toEqual([BYTES_MAX, 0])
})
