// Bodies as the runtime has them.

/** A byte stream of these parts; those that Node makes of texts are none. */
export function byteStream(
  ...parts: readonly (string | Uint8Array<ArrayBuffer>)[]
): ReadableStream<Uint8Array> {
  let next = 0
  return new ReadableStream({
    type: 'bytes',
    pull(controller) {
      const part = parts[next++]
      if (part !== undefined) {
        controller.enqueue(typeof part === 'string' ? new TextEncoder().encode(part) : part)
        return
      }
      controller.close()
      controller.byobRequest?.respond(0)
    },
  })
}
