// The guard of the public port against cross-site requests: hands out the cookie, and lets no changing request pass
// without its token. Paths that check for themselves, or need no cookie, are exempt.

import type { HttpBindings } from '@hono/node-server'
import type { MiddlewareHandler } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import { answerError } from '../service/wire-answers.ts'
import { WireError } from '../service/wire-error.ts'
import type { IdentityContext, RequestContext } from './context.ts'
import { csrfCookieName, isCsrfSecret, isCsrfTokenOf, makeCsrfSecret } from './csrf-token.ts'
import { mediaType } from './request-body.ts'

const COOKIE_LIFESPAN_SECONDS = 365 * 24 * 60 * 60
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])

/** No cookie is set here. What changes something under one of these asks for a token or a session of its own. */
const EXEMPT = [
  /^\/health\/(alive|ready)$/,
  /^\/schemas\/[^/]+$/,
  /^\/sessions(\/[^/]+)?(\/extend)?$/,
  /^\/self-service\/(login|registration|settings)(\/api)?$/,
  /^\/self-service\/logout\/api$/,
]

export function csrfGate(
  context: Pick<IdentityContext, 'addresses'>,
): MiddlewareHandler<{ Bindings: HttpBindings }> {
  return async (c, next) => {
    if (EXEMPT.some(path => path.test(c.req.path))) return next()
    const secret = findCsrfSecret(context, c)
    if (secret === undefined) renewCsrfSecret(context, c)
    if (SAFE_METHODS.has(c.req.method)) return next()
    const token = c.req.header('x-csrf-token') ?? (await formToken(c))
    if (secret !== undefined && isCsrfTokenOf(secret, token)) return next()
    return answerError(c, csrfViolation())
  }
}

async function formToken(c: RequestContext): Promise<string> {
  if (mediaType(c) !== 'application/x-www-form-urlencoded') return ''
  return new URLSearchParams(await c.req.text()).get('csrf_token') ?? ''
}

declare module 'hono' {
  interface ContextVariableMap {
    /** The secret of the cookie that this answer sets; undefined when it sets none. */
    newCsrfSecret: string | undefined
  }
}

/** The browser's secret, if this answer brings it; undefined when it has none, or none that was made here. */
export function findCsrfSecret(
  { addresses }: Pick<IdentityContext, 'addresses'>,
  c: RequestContext,
): string | undefined {
  const secret = c.get('newCsrfSecret') ?? getCookie(c, csrfCookieName(addresses.publicUrl))
  return isCsrfSecret(secret) ? secret : undefined
}

/**
 * A new secret for the browser: at its first visit, and whenever somebody else signs in or out, after which older
 * forms fail.
 */
export function renewCsrfSecret(
  { addresses }: Pick<IdentityContext, 'addresses'>,
  c: RequestContext,
): string {
  const secret = makeCsrfSecret()
  setCookie(c, csrfCookieName(addresses.publicUrl), secret, {
    ...cookieAttributes(addresses.publicUrl),
    maxAge: COOKIE_LIFESPAN_SECONDS,
  })
  c.set('newCsrfSecret', secret)
  return secret
}

/** Of every cookie here: for this host alone, out of reach of scripts, sent along when a link leads here. */
export function cookieAttributes(publicUrl: string) {
  return { path: '/', httpOnly: true, sameSite: 'Lax', secure: publicUrl.startsWith('https:') } as const
}

/** Takes a cookie back. */
export function clearCookie(c: RequestContext, publicUrl: string, name: string): void {
  deleteCookie(c, name, cookieAttributes(publicUrl))
}

export function csrfViolation(): WireError {
  return new WireError(403, {
    id: 'security_csrf_violation',
    reason: 'Please open the form again. Its token does not belong to the cookies of this browser.',
  })
}
