// CRC-32 (the one of zip and PNG, polynomial 0xEDB88320): finds typing mistakes; proves nothing about who wrote the
// text.

const TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value
})

/** CRC-32 of the first `length` characters, which must be ASCII; an unsigned 32-bit number. */
export function crc32Ascii(text: string, length: number = text.length): number {
  let crc = 0xffffffff
  for (let i = 0; i < length; i++) crc = (TABLE[(crc ^ text.charCodeAt(i)) & 0xff] ?? 0) ^ (crc >>> 8)
  return (crc ^ 0xffffffff) >>> 0
}
