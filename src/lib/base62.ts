// Base62 (0-9 A-Z a-z) of fixed length: text that a double click selects whole and that needs no escaping anywhere.

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** `length` base62 characters of a whole number from 0 to 2^53 - 1, padded with zeros; higher digits are cut off. */
export function encodeBase62(value: number, length: number): string {
  let text = ''
  let rest = value
  for (let i = 0; i < length; i++) {
    text = ALPHABET.charAt(rest % 62) + text
    rest = Math.floor(rest / 62)
  }
  return text
}

/** The bytes, read as one big-endian number, in `length` base62 characters. 32 bytes need 43. */
export function encodeBytesBase62(bytes: Uint8Array, length: number): string {
  let rest = 0n
  for (const byte of bytes) rest = (rest << 8n) | BigInt(byte)
  let text = ''
  for (let i = 0; i < length; i++) {
    text = ALPHABET.charAt(Number(rest % 62n)) + text
    rest /= 62n
  }
  if (rest !== 0n) throw new RangeError(`${bytes.length} bytes do not fit in ${length} base62 characters`)
  return text
}

/** 1 at the code of every character of the alphabet. */
const IS_DIGIT = new Uint8Array(128)
for (let i = 0; i < ALPHABET.length; i++) IS_DIGIT[ALPHABET.charCodeAt(i)] = 1

/** True when every character from `start` on is one of the alphabet. */
export function isBase62From(text: string, start: number): boolean {
  for (let i = start; i < text.length; i++) {
    if (IS_DIGIT[text.charCodeAt(i)] !== 1) return false
  }
  return true
}
