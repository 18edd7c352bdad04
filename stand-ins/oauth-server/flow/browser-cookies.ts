// The cookies that tie a flow and a login session to one browser. Their values are sealed: a browser can neither read
// nor make them. The names are Hydra's with its `_dev` suffix, as it runs without https. Each client has its own, so
// that flows of two clients do not disturb each other.

import { createHash } from 'node:crypto'
import { getCookie, setCookie } from 'hono/cookie'
import type { Sealer } from '../../service/sealed-values.ts'
import type { RequestContext } from '../context.ts'

const SESSION_COOKIE = 'ory_hydra_session_dev'
const CSRF_COOKIES = {
  login: 'ory_hydra_login_csrf_dev',
  consent: 'ory_hydra_consent_csrf_dev',
  device: 'ory_hydra_device_csrf_dev',
}
/** Browsers keep no cookie longer than 400 days. RFC 6265bis §5.5. */
const COOKIE_SECONDS_MAX = 400 * 24 * 3600

export type CsrfStep = keyof typeof CSRF_COOKIES

export interface BrowserCookies {
  /** Binds a step to this browser. `clientId` is left out where the client is not known yet. */
  setCsrf(c: RequestContext, step: CsrfStep, csrf: string, lifespanSeconds: number, clientId?: string): void
  /** The CSRF value that this browser was given for a step, or undefined. */
  csrf(c: RequestContext, step: CsrfStep, clientId?: string): string | undefined
  setSession(c: RequestContext, sessionId: string, lifespanSeconds: number): void
  /** Tells the browser to forget its session; also when it has none. */
  clearSession(c: RequestContext): void
  /** The id of the browser's login session, which may have ended since. */
  sessionId(c: RequestContext): string | undefined
}

export function makeBrowserCookies(sealer: Sealer): BrowserCookies {
  const write = (c: RequestContext, name: string, value: string, seconds: number) => {
    const maxAge = Math.min(Math.max(seconds, 0), COOKIE_SECONDS_MAX)
    setCookie(c, name, value === '' ? '' : sealer.seal(`cookie ${name}`, value), {
      path: '/',
      httpOnly: true,
      sameSite: 'Lax',
      maxAge,
      expires: new Date(maxAge === 0 ? 0 : Date.now() + maxAge * 1000),
    })
  }
  const read = (c: RequestContext, name: string) => {
    const value = sealer.open(`cookie ${name}`, getCookie(c, name) ?? '')
    return typeof value === 'string' ? value : undefined
  }
  return {
    setCsrf: (c, step, csrf, lifespanSeconds, clientId) =>
      write(c, csrfCookie(step, clientId), csrf, lifespanSeconds),
    csrf: (c, step, clientId) => read(c, csrfCookie(step, clientId)),
    setSession: (c, sessionId, lifespanSeconds) => write(c, SESSION_COOKIE, sessionId, lifespanSeconds),
    clearSession: c => write(c, SESSION_COOKIE, '', 0),
    sessionId: c => read(c, SESSION_COOKIE),
  }
}

function csrfCookie(step: CsrfStep, clientId: string | undefined): string {
  const suffix = (id: string) => createHash('sha256').update(id).digest('hex').slice(0, 8)
  return clientId === undefined ? CSRF_COOKIES[step] : `${CSRF_COOKIES[step]}_${suffix(clientId)}`
}
