// The secrets of one run. Pure but for the browser's own random numbers. RFC 7636 section 4.

export interface RunSecrets {
  verifier: string
  challenge: string
  state: string
  nonce: string
}

/** 32 random bytes: 43 characters, the shortest verifier that is allowed, and more than anybody can guess. */
export function randomText(): string {
  return base64url(crypto.getRandomValues(new Uint8Array(32)))
}

/** S256 of a verifier (RFC 7636 section 4.2). */
export async function challengeOf(verifier: string): Promise<string> {
  return base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))))
}

export async function newSecrets(): Promise<RunSecrets> {
  const verifier = randomText()
  return { verifier, challenge: await challengeOf(verifier), state: randomText(), nonce: randomText() }
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}
