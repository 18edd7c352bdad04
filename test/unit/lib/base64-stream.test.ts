import { expect, it } from 'vitest'
import { decodeBase64Stream } from '../../../src/lib/base64-stream.ts'

it('gives back the bytes, wherever chunks and line ends fall', async () => {
  for (const length of [0, 1, 2, 3, 56, 57, 58, 1_000]) {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * 7) % 256)
    // As Postgres prints it: a line end after 76 characters.
    const text = Buffer.from(bytes).toString('base64').replace(/.{76}/g, '$&\n')
    for (const size of [1, 3, 5, 77, 5_000]) {
      const encoded = new Blob([text]).stream().pipeThrough(inPieces(size)).pipeThrough(decodeBase64Stream())
      expect(await new Response(encoded).bytes()).toEqual(bytes)
    }
  }
})

function inPieces(size: number): TransformStream<Uint8Array, Uint8Array> {
  return new TransformStream({
    transform(chunk, controller) {
      for (let at = 0; at < chunk.length; at += size) controller.enqueue(chunk.subarray(at, at + size))
    },
  })
}
