// Text as UTF-8 bytes.

const encoder = new TextEncoder()

/**
 * The bytes in a buffer of their own, as WebCrypto and `fetch` want them; the runtimes' types say less than they do.
 */
export function encodeUtf8(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text) as Uint8Array<ArrayBuffer>
}

const SPACE = 0x20

/** Whether a text's bytes are blanks and control characters alone, or none. */
export function isBlank(bytes: Uint8Array): boolean {
  return !bytes.some(byte => byte > SPACE)
}
