// Seals values for a trip through a browser or an application: challenges, verifiers, cookies and page tokens. By
// AES-256-GCM with the purpose as associated data: what was sealed for one purpose does not open for another. Nothing
// here expires; the values carry their own times.

import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'

const NONCE_BYTES = 12
const TAG_BYTES = 16
const OPENED_BYTES_MAX = 1_000_000

export interface Sealer {
  /** Opaque, URL-safe text. */
  seal(purpose: string, value: unknown): string
  /** The value, or undefined when `text` was not sealed with this secret for this purpose. */
  open(purpose: string, text: string): unknown
}

/** A sealer whose values survive as long as `secret` stays the same. */
export function makeSealer(secret: string | Buffer): Sealer {
  const key = createHash('sha256').update(secret).digest()
  return {
    seal(purpose, value) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(purpose))
      const sealed = cipher.update(deflateRawSync(JSON.stringify(value)))
      return Buffer.concat([nonce, sealed, cipher.final(), cipher.getAuthTag()]).toString('base64url')
    },
    open(purpose, text) {
      try {
        return openWith(key, purpose, Buffer.from(text, 'base64url'))
      } catch {
        // Wrong key, wrong purpose, cut or changed: all the same to the caller.
        return undefined
      }
    },
  }
}

function openWith(key: Buffer, purpose: string, bytes: Buffer): unknown {
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES))
  decipher.setAAD(Buffer.from(purpose))
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
  const sealed = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES))
  const plain = Buffer.concat([sealed, decipher.final()])
  return JSON.parse(inflateRawSync(plain, { maxOutputLength: OPENED_BYTES_MAX }).toString('utf8'))
}
