// Standard base64 (RFC 4648 section 4), as people make keys with it; base64url is taken too.

import { decodeBase64Url } from './base64url.ts'

/** The bytes, with or without padding; undefined for text that is no base64. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  return decodeBase64Url(text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, ''))
}
