// The code that somebody typed in, kept for the minutes until the consent screen shows it again: what must be compared
// there is this code with the one on the device.

import type { BridgeDeps } from './bridge-deps.ts'
import { cookieName, readCookie, setCookie } from './cookies.ts'

type CookieDeps = { config: Pick<BridgeDeps['config'], 'baseUrl'> }

const COOKIE = 'device'
const LIFE_SECONDS = 900
const CODE_FORM = /^[A-Za-z0-9]{4,32}$/

/** A code as typed, without the blanks and hyphens that people and devices put between its letters. */
export function plainCode(typed: string): string {
  return typed.replace(/[\s-]/g, '')
}

/** A code in groups of four, as it is easiest to compare. */
export function spacedCode(code: string): string {
  return plainCode(code).replace(/(.{4})(?=.)/g, '$1-')
}

export function isCode(code: string): boolean {
  return CODE_FORM.test(code)
}

/** The Set-Cookie value that keeps a code. */
export function keepDeviceCode({ config }: CookieDeps, code: string): string {
  return setCookie(config.baseUrl, { name: COOKIE, value: code, maxAgeSeconds: LIFE_SECONDS })
}

/** The code that this browser typed in last, if that was minutes ago. */
export function deviceCodeOf({ config }: CookieDeps, cookieHeader: string | null): string | undefined {
  const code = readCookie(cookieHeader, cookieName(config.baseUrl, COOKIE))
  return code !== undefined && isCode(code) ? code : undefined
}
