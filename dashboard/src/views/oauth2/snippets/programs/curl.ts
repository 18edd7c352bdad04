// For a POSIX shell with curl; the code flow also takes openssl. Pure.

import type { Flow, Given } from '../given.ts'
import { shellText } from '../quote.ts'

const CURL = 'curl --silent --show-error --fail-with-body'
const NEEDS_SECRET = `: "\${CLIENT_SECRET:?first: export CLIENT_SECRET=...}"\n\n`

/** Arguments, each on a line of its own. */
function call(...args: (string | undefined)[]): string {
  return [CURL, ...args.filter(arg => arg !== undefined)].join(' \\\n  ')
}

/** How the client says who it is. */
function who({ clientId, method }: Given): string {
  const id = shellText(clientId)
  if (method === 'none') return `--data-urlencode client_id=${id}`
  if (method === 'client_secret_post')
    return `--data-urlencode client_id=${id} --data-urlencode "client_secret=$CLIENT_SECRET"`
  // Basic asks for the form's encoding (RFC 6749 section 2.3.1); secrets of Quoin need none.
  return `--user ${shellText(encodeURIComponent(clientId))}:"$CLIENT_SECRET"`
}

/** The device request names the client in its form as well (RFC 8628 section 3.1). */
function idOf({ clientId, method }: Given): string | undefined {
  return method === 'client_secret_basic' ? `--data-urlencode client_id=${shellText(clientId)}` : undefined
}

function scopeOf({ scope }: Given): string | undefined {
  return scope === '' ? undefined : `--data-urlencode scope=${shellText(scope)}`
}

const head = ({ method }: Given) => (method === 'none' ? '' : NEEDS_SECRET)

function machine(given: Given): string {
  return `${head(given)}${call(
    shellText(given.tokenEndpoint),
    who(given),
    '--data grant_type=client_credentials',
    scopeOf(given),
  )}
`
}

function code(given: Given): string {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: given.clientId,
    redirect_uri: given.redirectUri,
    ...(given.scope !== '' && { scope: given.scope }),
    code_challenge_method: 'S256',
  })
  return `${head(given)}VERIFIER=$(openssl rand -hex 32)
CHALLENGE=$(printf %s "$VERIFIER" | openssl dgst -sha256 -binary | openssl base64 -A | tr '+/' '-_' | tr -d '=')
STATE=$(openssl rand -hex 16)

echo 'Open this and sign in:'
printf '%s&state=%s&code_challenge=%s\\n' \\
  ${shellText(`${given.authorizationEndpoint}?${query}`)} "$STATE" "$CHALLENGE"
echo 'Paste the address that the browser ends at:'
read -r BACK
case "$BACK" in
  *"state=$STATE"*) ;;
  *) echo 'It is not the answer to this request.' >&2; exit 1 ;;
esac
CODE=\${BACK#*[?&]code=}
CODE=\${CODE%%&*}

${call(
  shellText(given.tokenEndpoint),
  who(given),
  '--data grant_type=authorization_code',
  '--data "code=$CODE"',
  '--data "code_verifier=$VERIFIER"',
  `--data-urlencode redirect_uri=${shellText(given.redirectUri)}`,
)}
`
}

function device(given: Given): string {
  return `${head(given)}DEVICE=$(${call(shellText(given.deviceEndpoint), who(given), idOf(given), scopeOf(given))})
field() { printf %s "$DEVICE" | sed -n "s/.*\\"$1\\" *: *\\"\\([^\\"]*\\)\\".*/\\1/p"; }
DEVICE_CODE=$(field device_code)

echo "Open $(field verification_uri) and type $(field user_code)"
while sleep 5; do
  ANSWER=$(${call(
    shellText(given.tokenEndpoint),
    who(given),
    '--data grant_type=urn:ietf:params:oauth:grant-type:device_code',
    '--data-urlencode "device_code=$DEVICE_CODE"',
  ).replaceAll('\n', '\n  ')}) || true
  case "$ANSWER" in
    *authorization_pending*|*slow_down*) ;;
    *) echo "$ANSWER"; break ;;
  esac
done
`
}

export const curl: Record<Flow, (given: Given) => string> = { code, machine, device }
