// Double submit: a form of ours carries an HMAC of its challenge under a random cookie. So only a page that was opened
// in the same browser can send it. A challenge that somebody read in a log is not enough.

import { DomainError } from '../../../errors.ts'
import { decodeBase64Url, encodeBase64Url } from '../../../lib/base64url.ts'
import type { BridgeDeps } from './bridge-deps.ts'
import { cookieName, readCookie, setCookie } from './cookies.ts'
import { formField } from './submitted.ts'

type CookieDeps = { config: Pick<BridgeDeps['config'], 'baseUrl'> }

const encoder = new TextEncoder()

const COOKIE = 'form'
const SECRET_BYTES = 32
const SECRET_FORM = /^[\w-]{43}$/

/** The token for a form about this challenge, and the cookies to set with its page. One secret serves all tabs. */
export async function openForm(
  deps: CookieDeps,
  cookieHeader: string | null,
  challenge: string,
): Promise<{ token: string; cookies: string[] }> {
  const known = secretOf(deps, cookieHeader)
  if (known !== undefined) return { token: await tokenOf(known, challenge), cookies: [] }
  const secret = encodeBase64Url(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)))
  const cookie = setCookie(deps.config.baseUrl, { name: COOKIE, value: secret })
  return { token: await tokenOf(secret, challenge), cookies: [cookie] }
}

/** The challenge of a form that was opened in this browser; throws `form_token_invalid` for any other form. */
export async function requireOwnForm(
  deps: CookieDeps,
  fields: URLSearchParams,
  cookieHeader: string | null,
): Promise<string> {
  const challenge = formField(fields, 'challenge')
  await requireFormToken(deps, cookieHeader, challenge, formField(fields, 'form_token'))
  return challenge
}

/** Throws `form_token_invalid` unless the token was made for this challenge in this browser. */
export async function requireFormToken(
  deps: CookieDeps,
  cookieHeader: string | null,
  challenge: string,
  token: string,
): Promise<void> {
  const secret = secretOf(deps, cookieHeader)
  if (secret !== undefined && (await isTokenOf(secret, challenge, token))) return
  throw new DomainError('form_token_invalid', 'This form was not opened in this browser.', {
    detail: secret === undefined ? 'The cookie that was set with the page did not come back.' : undefined,
    hint: 'Go back, load the page again and let the browser keep its cookies. Scripts send JSON.',
  })
}

function secretOf({ config }: CookieDeps, cookieHeader: string | null): string | undefined {
  const value = readCookie(cookieHeader, cookieName(config.baseUrl, COOKIE))
  return value !== undefined && SECRET_FORM.test(value) ? value : undefined
}

async function tokenOf(secret: string, challenge: string): Promise<string> {
  const mac = await crypto.subtle.sign('HMAC', await keyOf(secret), encoder.encode(challenge))
  return encodeBase64Url(new Uint8Array(mac))
}

/** The runtime compares in a time that does not tell how far two values agree. */
async function isTokenOf(secret: string, challenge: string, token: string): Promise<boolean> {
  const mac = decodeBase64Url(token)
  if (mac === undefined) return false
  return await crypto.subtle.verify('HMAC', await keyOf(secret), mac, encoder.encode(challenge))
}

function keyOf(secret: string): Promise<CryptoKey> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  return crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['sign', 'verify'])
}
