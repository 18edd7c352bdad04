// The access token of a request, wherever RFC 6750 lets it be but in a form.

import type { RequestContext } from '../context.ts'

/** The bearer token of the header, else the parameter `access_token` of the address; empty when there is none. */
export function accessTokenOf(c: RequestContext): string {
  const [, token] = /^bearer (.*)$/i.exec(c.req.header('authorization') ?? '') ?? []
  return token ?? c.req.query('access_token') ?? ''
}
