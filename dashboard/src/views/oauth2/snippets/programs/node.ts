// For Node and its like, with openid-client 6. Pure.

import type { Flow, Given } from '../given.ts'
import { scriptText } from '../quote.ts'

const AUTHENTICATION: Record<Given['method'], string> = {
  none: 'client.None()',
  client_secret_basic: 'client.ClientSecretBasic(process.env.CLIENT_SECRET)',
  client_secret_post: 'client.ClientSecretPost(process.env.CLIENT_SECRET)',
}

/** Finds the server's addresses; http is refused unless it is asked for. */
export function discovery({ issuer, clientId, method }: Given): string {
  const args = [`new URL(${scriptText(issuer)})`, scriptText(clientId), 'undefined', AUTHENTICATION[method]]
  if (!issuer.startsWith('https:')) args.push('{ execute: [client.allowInsecureRequests] }')
  return `const config = await client.discovery(\n${args.map(arg => `  ${arg},\n`).join('')})`
}

const head = (given: Given, more = '') => `${more}import * as client from 'openid-client'

${discovery(given)}
`

/** A line of an object, or none. */
export function scopeProperty({ scope }: Given, indent: number): string {
  return scope === '' ? '' : `${' '.repeat(indent)}scope: ${scriptText(scope)},\n`
}

const scopeLine = ({ scope }: Given) => (scope === '' ? '{}' : `{ scope: ${scriptText(scope)} }`)

function machine(given: Given): string {
  return `${head(given)}
const tokens = await client.clientCredentialsGrant(config, ${scopeLine(given)})
console.log(tokens)
`
}

function code(given: Given): string {
  return `${head(given, "import { createInterface } from 'node:readline/promises'\n")}
const verifier = client.randomPKCECodeVerifier()
const state = client.randomState()
const url = client.buildAuthorizationUrl(config, {
  redirect_uri: ${scriptText(given.redirectUri)},
${scopeProperty(given, 2)}  state,
  code_challenge: await client.calculatePKCECodeChallenge(verifier),
  code_challenge_method: 'S256',
})
console.log(\`Open this and sign in:\\n\${url.href}\`)

// A server takes the address of its own request instead.
const terminal = createInterface({ input: process.stdin, output: process.stdout })
const back = await terminal.question('Paste the address that the browser ends at: ')
terminal.close()

const tokens = await client.authorizationCodeGrant(config, new URL(back.trim()), {
  pkceCodeVerifier: verifier,
  expectedState: state,
})
console.log(tokens)
`
}

function device(given: Given): string {
  return `${head(given)}
const device = await client.initiateDeviceAuthorization(config, ${scopeLine(given)})
console.log(\`Open \${device.verification_uri} and type \${device.user_code}\`)

const tokens = await client.pollDeviceAuthorizationGrant(config, device)
console.log(tokens)
`
}

export const node: Record<Flow, (given: Given) => string> = { code, machine, device }
