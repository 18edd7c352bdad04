// For a browser, with openid-client 6 and a bundler. Pure.

import type { Given } from '../given.ts'
import { scriptText } from '../quote.ts'
import { discovery, scopeProperty } from './node.ts'

/** The script of the page at the redirect URI: goes to sign in, and takes the tokens when it is back. */
function code(given: Given): string {
  return `import * as client from 'openid-client'

${discovery(given)}

async function signIn() {
  const verifier = client.randomPKCECodeVerifier()
  const state = client.randomState()
  // For this tab, until it is back.
  sessionStorage.setItem('sign-in', JSON.stringify({ verifier, state }))
  location.assign(
    client.buildAuthorizationUrl(config, {
      redirect_uri: ${scriptText(given.redirectUri)},
${scopeProperty(given, 6)}      state,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }),
  )
}

async function finishSignIn() {
  const { verifier, state } = JSON.parse(sessionStorage.getItem('sign-in') ?? '{}')
  sessionStorage.removeItem('sign-in')
  const tokens = await client.authorizationCodeGrant(config, new URL(location.href), {
    pkceCodeVerifier: verifier,
    expectedState: state,
  })
  // The code has been used: it need not stand in the history.
  history.replaceState(null, '', location.pathname)
  return tokens
}

if (new URLSearchParams(location.search).has('state')) console.log(await finishSignIn())
else await signIn()
`
}

export const browser = { code }
