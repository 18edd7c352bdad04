// Double submit: a form of ours carries the hash of its challenge and of a random cookie, so that only a page that was
// opened in the same browser can send it. A challenge that somebody read in a log is not enough.

import { DomainError } from '../../../errors.ts'
import { encodeBase64Url } from '../../../lib/base64url.ts'
import { sha256Hex } from '../../../lib/hash.ts'
import type { BridgeDeps } from './bridge-deps.ts'
import { cookieName, readCookie, setCookie } from './cookies.ts'

type CookieDeps = { config: Pick<BridgeDeps['config'], 'baseUrl'> }

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

/** Throws `form_token_invalid` unless the token was made for this challenge in this browser. */
export async function requireFormToken(
  deps: CookieDeps,
  cookieHeader: string | null,
  challenge: string,
  token: string,
): Promise<void> {
  const secret = secretOf(deps, cookieHeader)
  if (secret !== undefined && isSame(await tokenOf(secret, challenge), token)) return
  throw new DomainError('form_token_invalid', 'This form was not opened in this browser.', {
    detail: secret === undefined ? 'The cookie that was set with the page did not come back.' : undefined,
    hint: 'Go back, load the page again and let the browser keep its cookies. Scripts send JSON.',
  })
}

function secretOf({ config }: CookieDeps, cookieHeader: string | null): string | undefined {
  const value = readCookie(cookieHeader, cookieName(config.baseUrl, COOKIE))
  return value !== undefined && SECRET_FORM.test(value) ? value : undefined
}

function tokenOf(secret: string, challenge: string): Promise<string> {
  return sha256Hex(`${secret}.${challenge}`)
}

/** In a time that does not tell how far two texts of the same length agree. */
function isSame(expected: string, given: string): boolean {
  if (expected.length !== given.length) return false
  let difference = 0
  for (let i = 0; i < expected.length; i++) difference |= expected.charCodeAt(i) ^ given.charCodeAt(i)
  return difference === 0
}
