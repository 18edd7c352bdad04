// The line of curl that the reference page shows for an endpoint.

import type { Endpoint } from './document.ts'

/** The header that carries each kind of credential; the page's introduction says what the variables hold. */
const CREDENTIAL_HEADERS: Record<string, string> = {
  apiKey: 'apikey: $QUOIN_KEY',
  session: 'cookie: $QUOIN_SESSION',
}

/** A call of `endpoint` for a POSIX shell. What differs from caller to caller is a variable: `$QUOIN_KEY`, `$ID`. */
export function curlExample(endpoint: Endpoint, baseUrl: string): string {
  const method = endpoint.method === 'get' ? '' : ` -X ${endpoint.method.toUpperCase()}`
  const headers = credentialHeaders(endpoint).map(header => ` \\\n  -H "${header}"`)
  const body = endpoint.requestBody
    ? ` \\\n  -H 'Content-Type: application/json' -d '${exampleBody(endpoint).replaceAll("'", "'\\''")}'`
    : ''
  return `curl${method} "${baseUrl}${withVariables(endpoint.path)}"${headers.join('')}${body}`
}

function credentialHeaders({ security }: Endpoint): string[] {
  return security.flatMap(Object.keys).flatMap(scheme => CREDENTIAL_HEADERS[scheme] ?? [])
}

/** `/keys/{set}/{deadLetterId}` to `/keys/$SET/$DEAD_LETTER_ID`: curl takes braces for a pattern of its own. */
function withVariables(path: string): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => `$${name.replace(/(?=[A-Z])/g, '_').toUpperCase()}`)
}

function exampleBody({ requestBody }: Endpoint): string {
  const example = requestBody?.content['application/json']?.example
  return example === undefined ? '{}' : JSON.stringify(example)
}
