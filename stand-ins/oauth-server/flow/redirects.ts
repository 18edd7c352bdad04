// How a client is answered: 303 to its redirect URI, or the self-submitting form of `form_post`.

import { html } from 'hono/html'
import type { RequestContext } from '../context.ts'
import type { ResponseMode } from './authorization-request.ts'
import { encodeQuery, type QueryValues, withQuery } from './query.ts'

/** Gives `values` to the client at its redirect URI. RFC 6749 §4.1.2, OAuth 2.0 Form Post Response Mode. */
export function answerClient(
  c: RequestContext,
  redirectUri: string,
  mode: ResponseMode | undefined,
  values: QueryValues,
): Response {
  const uncached = { 'cache-control': 'no-store', pragma: 'no-cache' }
  if (mode === 'form_post') {
    return c.body(formPost(redirectUri, values), 200, {
      ...uncached,
      'content-type': 'text/html;charset=UTF-8',
    })
  }
  const location =
    mode === 'fragment' ? `${redirectUri}#${encodeQuery(values)}` : withQuery(redirectUri, values)
  return c.body(null, 303, { ...uncached, location })
}

function formPost(redirectUri: string, values: QueryValues): string {
  const inputs = Object.entries(values).flatMap(([name, value]) =>
    [value].flat().map(text => html`<input type="hidden" name="${name}" value="${text}"/>`),
  )
  return `${html`<html>
  <head><title>Submit This Form</title></head>
  <body onload="javascript:document.forms[0].submit()">
    <form method="post" action="${redirectUri}">${inputs}<noscript><button>Continue</button></noscript></form>
  </body>
</html>`}`
}
