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
  return (
    `curl${method} "${baseUrl}${withVariables(endpoint.path)}${requiredQuery(endpoint)}"` +
    `${headers.join('')}${body(endpoint)}`
  )
}

/** What the endpoint refuses to go without, as `?login_challenge=$LOGIN_CHALLENGE`. */
function requiredQuery({ parameters }: Endpoint): string {
  const required = parameters.filter(parameter => parameter.in === 'query' && parameter.required)
  const pairs = required.map(({ name, example }) => {
    const isAnyName = name.startsWith('<')
    return `${isAnyName ? variable(name.slice(1, -1)) : name}=${example ?? variable(name)}`
  })
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}

function credentialHeaders({ security }: Endpoint): string[] {
  return security.flatMap(Object.keys).flatMap(scheme => CREDENTIAL_HEADERS[scheme] ?? [])
}

/** `/keys/{set}/{deadLetterId}` to `/keys/$SET/$DEAD_LETTER_ID`: curl takes braces for a pattern of its own. */
function withVariables(path: string): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => variable(name))
}

function variable(name: string): string {
  return `$${name.replace(/(?=[A-Z])/g, '_').toUpperCase()}`
}

function body({ requestBody }: Endpoint): string {
  const [first] = Object.entries(requestBody?.content ?? {})
  if (first === undefined) return ''
  const [type, { example = {} }] = first
  const text = typeof example === 'string' ? example : JSON.stringify(example)
  return ` \\\n  -H 'Content-Type: ${type}' -d '${text.replaceAll("'", "'\\''")}'`
}
