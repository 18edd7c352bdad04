// Secrets of webhooks and values of their headers at rest: AES-256-GCM under SECRETS_KEY, bound to what they belong
// to. What is stored reads `v1.` and base64url of the nonce and the ciphertext; the prefix leaves room for another key
// or cipher.

import { decodeBase64 } from '../../lib/base64.ts'
import { decodeBase64Url, encodeBase64Url } from '../../lib/base64url.ts'

const PREFIX = 'v1.'
const NONCE_BYTES = 12
const TAG_BYTES = 16
const encoder = new TextEncoder()

/** Seals and opens secrets. The name is what a secret belongs to: moved to another row it does not open. */
export interface SecretBox {
  seal(name: string, secret: string): Promise<string>
  /** Throws for what was not sealed with this key under this name, without saying why. */
  open(name: string, sealed: string): Promise<string>
}

/** What the value of a header belongs to; a secret belongs to the webhook's id alone. */
export function headerSealName(webhookId: string, name: string): string {
  return `${webhookId} ${name.toLowerCase()}`
}

/** How many bytes were sealed, which needs no key: AES-GCM keeps the length. */
export function sealedBytes(sealed: string): number {
  return Math.floor(((sealed.length - PREFIX.length) * 3) / 4) - NONCE_BYTES - TAG_BYTES
}

/** A box under `keyBase64`, base64 of exactly 32 bytes. Throws when it is anything else. */
export function makeSecretBox(keyBase64: string): SecretBox {
  const bytes = decodeBase64(keyBase64)
  if (bytes?.length !== 32) throw new Error('SECRETS_KEY must be base64 of exactly 32 bytes')
  let imported: Promise<CryptoKey> | undefined
  const key = () => {
    imported ??= crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt'])
    return imported
  }
  return {
    async seal(name, secret) {
      const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES))
      const sealed = await crypto.subtle.encrypt(parameters(nonce, name), await key(), encoder.encode(secret))
      const whole = new Uint8Array(NONCE_BYTES + sealed.byteLength)
      whole.set(nonce)
      whole.set(new Uint8Array(sealed), NONCE_BYTES)
      return PREFIX + encodeBase64Url(whole)
    },
    async open(name, sealed) {
      const whole = sealed.startsWith(PREFIX) ? decodeBase64Url(sealed.slice(PREFIX.length)) : undefined
      if (whole === undefined || whole.length <= NONCE_BYTES) throw new Error('not a sealed secret')
      const nonce = whole.slice(0, NONCE_BYTES)
      const opened = await crypto.subtle.decrypt(
        parameters(nonce, name),
        await key(),
        whole.slice(NONCE_BYTES),
      )
      return new TextDecoder().decode(opened)
    },
  }
}

function parameters(nonce: Uint8Array<ArrayBuffer>, name: string) {
  return { name: 'AES-GCM', iv: nonce, additionalData: encoder.encode(name) }
}
