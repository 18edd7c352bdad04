// Reads the text of an answer from outside and keeps no more of it than was allowed: nobody else's server decides how
// much memory we use. Says nothing about what the text means, nor how long reading may take.

/** The text of a body of at most `bytesMax` bytes; undefined for a longer one, whose rest is given up unread. */
export async function readBoundedText(
  body: ReadableStream<Uint8Array> | null,
  bytesMax: number,
): Promise<string | undefined> {
  if (!body) return ''
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  for (let bytes = 0; ; ) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    bytes += value.length
    if (bytes > bytesMax) {
      await reader.cancel()
      return undefined
    }
    text += decoder.decode(value, { stream: true })
  }
}
