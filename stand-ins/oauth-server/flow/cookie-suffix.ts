// The suffix of the CSRF cookies: one pair of cookies per client, so that flows of two clients do not disturb each
// other. Hydra takes murmur3 (32 bit, seed 0) of the client id, in decimal. No security rests on it.

/** The decimal murmur3 of `clientId`. */
export function cookieSuffix(clientId: string): string {
  return String(murmur3(Buffer.from(clientId, 'utf8')))
}

function murmur3(bytes: Buffer): number {
  const blocks = bytes.length - (bytes.length % 4)
  let hash = 0
  for (let i = 0; i < blocks; i += 4) {
    hash ^= scramble(bytes.readUInt32LE(i))
    hash = (Math.imul(rotateLeft(hash, 13), 5) + 0xe6546b64) | 0
  }
  let tail = 0
  for (let i = bytes.length - 1; i >= blocks; i--) tail = (tail << 8) | (bytes[i] ?? 0)
  return finish(hash ^ scramble(tail) ^ bytes.length)
}

function scramble(block: number): number {
  return Math.imul(rotateLeft(Math.imul(block, 0xcc9e2d51), 15), 0x1b873593)
}

function rotateLeft(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits))
}

function finish(hash: number): number {
  const first = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  const second = Math.imul(first ^ (first >>> 13), 0xc2b2ae35)
  return (second ^ (second >>> 16)) >>> 0
}
