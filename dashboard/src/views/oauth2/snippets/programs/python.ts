// For Python 3 with requests. Pure.

import type { Flow, Given } from '../given.ts'
import { quotedText } from '../quote.ts'

/** How the client says who it is: the argument `auth`, or fields of the form. */
function who({ clientId, method }: Given): { auth: string; fields: string[] } {
  if (method === 'none') return { auth: '', fields: ['"client_id": CLIENT_ID'] }
  if (method === 'client_secret_post')
    return {
      auth: '',
      fields: ['"client_id": CLIENT_ID', '"client_secret": os.environ["CLIENT_SECRET"]'],
    }
  // Basic asks for the form's encoding (RFC 6749 section 2.3.1); secrets of Quoin need none.
  const user =
    encodeURIComponent(clientId) === clientId ? 'CLIENT_ID' : quotedText(encodeURIComponent(clientId))
  return { auth: `    auth=(${user}, os.environ["CLIENT_SECRET"]),\n`, fields: [] }
}

function post(given: Given, target: string, fields: readonly (string | undefined)[], indent = ''): string {
  const { auth, fields: own } = who(given)
  const lines = [...own, ...fields.filter(field => field !== undefined)].map(field => `        ${field},\n`)
  const text = `requests.post(
    ${target},
${auth}    data={
${lines.join('')}    },
    timeout=10,
)`
  return text.replaceAll('\n', `\n${indent}`)
}

const scopeField = ({ scope }: Given) => (scope === '' ? undefined : `"scope": ${quotedText(scope)}`)

/** The device request names the client in its form as well (RFC 8628 section 3.1). */
const idField = ({ method }: Given) =>
  method === 'client_secret_basic' ? '"client_id": CLIENT_ID' : undefined

function head(given: Given, modules: readonly string[]): string {
  const all = [...modules, ...(given.method === 'none' ? [] : ['os'])].sort()
  const imports = all.length === 0 ? '' : `${all.map(name => `import ${name}`).join('\n')}\n\n`
  return `${imports}import requests

CLIENT_ID = ${quotedText(given.clientId)}
TOKEN_URL = ${quotedText(given.tokenEndpoint)}
`
}

function machine(given: Given): string {
  return `${head(given, [])}
answer = ${post(given, 'TOKEN_URL', ['"grant_type": "client_credentials"', scopeField(given)])}
answer.raise_for_status()
print(answer.json())
`
}

function code(given: Given): string {
  const imports = head(given, ['base64', 'hashlib', 'secrets', 'urllib.parse'])
  return `${imports}REDIRECT_URI = ${quotedText(given.redirectUri)}

verifier = secrets.token_urlsafe(48)
digest = hashlib.sha256(verifier.encode()).digest()
state = secrets.token_urlsafe(16)
query = {
    "response_type": "code",
    "client_id": CLIENT_ID,
    "redirect_uri": REDIRECT_URI,
${given.scope === '' ? '' : `    ${scopeField(given)},\n`}    "state": state,
    "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
    "code_challenge_method": "S256",
}
print("Open this and sign in:")
print(${quotedText(`${given.authorizationEndpoint}?`)} + urllib.parse.urlencode(query))

# A server takes the address of its own request instead.
back = urllib.parse.urlsplit(input("Paste the address that the browser ends at: ").strip())
answer = dict(urllib.parse.parse_qsl(back.query))
if answer.get("state") != state or "code" not in answer:
    raise SystemExit(f"It is not the answer to this request: {answer}")

tokens = ${post(given, 'TOKEN_URL', [
    '"grant_type": "authorization_code"',
    '"code": answer["code"]',
    '"code_verifier": verifier',
    '"redirect_uri": REDIRECT_URI',
  ])}
tokens.raise_for_status()
print(tokens.json())
`
}

function device(given: Given): string {
  return `${head(given, ['time'])}
answer = ${post(given, quotedText(given.deviceEndpoint), [idField(given), scopeField(given)])}
answer.raise_for_status()
device = answer.json()
print(f"Open {device['verification_uri']} and type {device['user_code']}")

interval = device.get("interval", 5)
while True:
    time.sleep(interval)
    answer = ${post(
      given,
      'TOKEN_URL',
      [
        '"grant_type": "urn:ietf:params:oauth:grant-type:device_code"',
        '"device_code": device["device_code"]',
      ],
      '    ',
    )}
    tokens = answer.json()
    if tokens.get("error") == "slow_down":
        interval += 5
    elif tokens.get("error") != "authorization_pending":
        break
print(tokens)
`
}

export const python: Record<Flow, (given: Given) => string> = { code, machine, device }
