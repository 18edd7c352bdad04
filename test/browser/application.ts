// An application as a person meets it: a web page of its own that the browser is sent back to, and openid-client behind
// it. What happens between is Chromium's, the bridge's and the servers' affair.

import { createServer } from 'node:http'
import * as client from 'openid-client'
import { inject } from 'vitest'
import { registerClient } from '../support/applications.ts'

export interface Application extends AsyncDisposable {
  /** Where this page's own address begins. */
  readonly url: string
  /** Starts to sign somebody in; the address goes into the browser. */
  begin(more?: Record<string, string>): Promise<Begun>
  /** Where a person signs out of it. */
  signOutUrl(idToken: string): string
  readonly configuration: client.Configuration
}

interface Begun {
  readonly address: string
  /** Exchanges the code in the address at which the browser arrived. */
  finish(arrived: string): Promise<client.TokenEndpointResponse & client.TokenEndpointResponseHelpers>
}

/** Registers an application whose page runs until it is disposed of. */
export async function startApplication(fields: Record<string, unknown> = {}): Promise<Application> {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'text/html')
    response.end('<!doctype html><title>Application</title><h1>Welcome back</h1>')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('a TCP server has a port')
  const url = `http://127.0.0.1:${address.port}`
  const registered = await registerClient({
    redirect_uris: [`${url}/callback`],
    post_logout_redirect_uris: [`${url}/signed-out`],
    ...fields,
  })
  const configuration = await client.discovery(
    new URL(inject('stack').oauth_public_url ?? ''),
    registered.client_id,
    undefined,
    client.ClientSecretBasic(registered.client_secret),
    { execute: [client.allowInsecureRequests] },
  )
  return {
    url,
    configuration,
    begin: more => begin(configuration, `${url}/callback`, more),
    signOutUrl: idToken =>
      client.buildEndSessionUrl(configuration, {
        id_token_hint: idToken,
        post_logout_redirect_uri: `${url}/signed-out`,
      }).href,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

async function begin(
  configuration: client.Configuration,
  redirectUri: string,
  more: Record<string, string> = {},
): Promise<Begun> {
  const pkceCodeVerifier = client.randomPKCECodeVerifier()
  const [expectedState, expectedNonce] = [client.randomState(), client.randomNonce()]
  const address = client.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope: 'openid profile email read',
    state: expectedState,
    nonce: expectedNonce,
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    ...more,
  })
  const checks = { pkceCodeVerifier, expectedState, expectedNonce }
  return {
    address: address.href,
    finish: arrived => client.authorizationCodeGrant(configuration, new URL(arrived), checks),
  }
}
