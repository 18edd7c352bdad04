// SHA-256 of text, as the lower-case hex that goes into tables and names.

const encoder = new TextEncoder()

/** SHA-256 of the text's UTF-8 bytes: 64 lower-case hex characters. */
export async function sha256Hex(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', encoder.encode(text)))
  let hex = ''
  for (const byte of digest) hex += byte.toString(16).padStart(2, '0')
  return hex
}
