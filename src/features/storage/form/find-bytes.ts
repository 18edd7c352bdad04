// Looks for a sequence of bytes in a chunk, whose beginning alone may be in it.

/**
 * Where `needle` is first found; `whole` is false where the chunk ends within it. Without it, the end of the chunk.
 * Needles begin with a byte that comes at most twice in them, so each byte is looked at a few times at most.
 */
export function findBytes(chunk: Uint8Array, needle: Uint8Array): { at: number; whole: boolean } {
  const first = needle[0] ?? 0
  for (let at = chunk.indexOf(first); at !== -1; at = chunk.indexOf(first, at + 1)) {
    const end = Math.min(at + needle.byteLength, chunk.byteLength)
    let next = at + 1
    while (next < end && chunk[next] === needle[next - at]) next += 1
    if (next === end) return { at, whole: end - at === needle.byteLength }
  }
  return { at: chunk.byteLength, whole: false }
}
