// The code that somebody typed in, kept until the consent screen shows it again: what must be compared there is this
// code with the one on the device. Nothing says which code a consent request began with, so that after two there is
// none to show. Sealed, so that nobody else can write what is compared.

import * as z from 'zod'
import type { BridgeDeps } from './bridge-deps.ts'
import { cookieName, readCookie, setCookie } from './cookies.ts'
import { isDeviceFlow, restartUrl } from './request-url.ts'
import { seal, unseal } from './sealed-value.ts'

type CookieDeps = { config: Pick<BridgeDeps['config'], 'baseUrl' | 'databaseUrl'> }

const COOKIE = 'device'
/** As long as a consent request that an earlier code led to can still be open. */
const LIFE_SECONDS = 3_600
/** A third says nothing new: there is more than one. */
const CODES_MAX = 2
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

/** The Set-Cookie value that keeps a code beside those that the browser sent. */
export async function keepDeviceCode(
  deps: CookieDeps,
  cookieHeader: string | null,
  code: string,
): Promise<string> {
  const codes = [...new Set([...(await typedCodes(deps, cookieHeader)), code])].slice(0, CODES_MAX)
  const value = await seal(deps.config.databaseUrl, { deviceCodes: codes })
  return setCookie(deps.config.baseUrl, { name: COOKIE, value, maxAgeSeconds: LIFE_SECONDS })
}

/** The only code that this browser typed in lately; undefined when it was none or more than one. */
export async function deviceCodeOf(
  deps: CookieDeps,
  cookieHeader: string | null,
): Promise<string | undefined> {
  const [code, ...others] = await typedCodes(deps, cookieHeader)
  return others.length === 0 ? code : undefined
}

/** As `restartUrl`; a device's code is filled in where this browser has typed in one alone. */
export async function restartWithCode(
  deps: CookieDeps,
  requestUrl: string,
  cookieHeader: string | null,
): Promise<string | undefined> {
  const restart = restartUrl(requestUrl)
  const code = isDeviceFlow(requestUrl) ? await deviceCodeOf(deps, cookieHeader) : undefined
  return code === undefined ? restart : `${restart}?${new URLSearchParams({ user_code: code })}`
}

const Kept = z.object({ deviceCodes: z.array(z.string().regex(CODE_FORM)) })

async function typedCodes({ config }: CookieDeps, cookieHeader: string | null): Promise<string[]> {
  const sealed = readCookie(cookieHeader, cookieName(config.baseUrl, COOKIE))
  if (sealed === undefined) return []
  const parsed = Kept.safeParse(await unseal(config.databaseUrl, sealed))
  return parsed.success ? parsed.data.deviceCodes : []
}
