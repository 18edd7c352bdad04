// Base64 as a stream, so that large bytes are never whole in memory.

/** Bytes of base64 text (RFC 4648 section 4) in UTF-8, whose chunks and line ends fall anywhere; ends padded. */
export function decodeBase64Stream(): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  const decoder = new TextDecoder()
  let rest = ''
  return new TransformStream({
    transform(chunk, controller) {
      const text = rest + decoder.decode(chunk, { stream: true }).replaceAll('\n', '')
      const whole = text.length - (text.length % 4)
      rest = text.slice(whole)
      if (whole > 0) controller.enqueue(decodeBase64(text.slice(0, whole)))
    },
  })
}

/** A loop, because `Uint8Array.from` with a function takes twenty times the memory. */
function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text)
  const bytes = new Uint8Array(binary.length)
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at)
  return bytes
}
