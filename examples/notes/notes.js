// A page that signs a person in by OpenID Connect (code with PKCE), and shows and writes that person's own rows. What
// the same person writes elsewhere comes by itself. No server of its own: row-level security decides who sees what.
// The README's section "A page of your own" runs it.

import { createClient } from '@supabase/supabase-js'
import * as oauth from 'oauth4webapi'

const { VITE_API: api, VITE_ISSUER: issuer, VITE_ANON_KEY: anonKey, VITE_CLIENT_ID } = import.meta.env
const client = { client_id: VITE_CLIENT_ID }
const redirectUri = `${location.origin}/`
/** Plain http is for this machine alone. */
const http = { [oauth.allowInsecureRequests]: issuer.startsWith('http:') }

const find = selector => document.querySelector(selector)

const serverFound = discover()
find('#sign-in').addEventListener('click', () => signIn().catch(showError))
if (new URLSearchParams(location.search).has('state')) finishSignIn().then(showNotes).catch(showError)

async function discover() {
  const url = new URL(issuer)
  return oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, http))
}

async function signIn() {
  const sent = {
    verifier: oauth.generateRandomCodeVerifier(),
    state: oauth.generateRandomState(),
    nonce: oauth.generateRandomNonce(),
  }
  sessionStorage.setItem('sign-in', JSON.stringify(sent))
  const { authorization_endpoint } = await serverFound
  const address = new URL(authorization_endpoint)
  address.search = new URLSearchParams({
    client_id: client.client_id,
    response_type: 'code',
    redirect_uri: redirectUri,
    scope: 'openid email',
    state: sent.state,
    nonce: sent.nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(sent.verifier),
    code_challenge_method: 'S256',
  })
  location.assign(address)
}

/** Exchanges the code in this page's address for tokens. They stay in memory: a reload signs in again. */
async function finishSignIn() {
  const sent = sessionStorage.getItem('sign-in')
  if (sent === null) throw new Error('This address belongs to a sign-in of another tab.')
  const { verifier, state, nonce } = JSON.parse(sent)
  sessionStorage.removeItem('sign-in')
  const server = await serverFound
  const parameters = oauth.validateAuthResponse(server, client, new URL(location.href), state)
  history.replaceState(null, '', '/')
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.None(),
    parameters,
    redirectUri,
    verifier,
    http,
  )
  const checks = { expectedNonce: nonce, requireIdToken: true }
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, checks)
  return { accessToken: tokens.access_token, email: oauth.getValidatedIdTokenClaims(tokens).email }
}

async function showNotes({ accessToken, email }) {
  find('#who').textContent = `Signed in as ${email}.`
  find('#sign-in').hidden = true
  const form = find('#new-note')
  form.hidden = false
  const list = async () => {
    const rows = await callNotes('?select=body&order=id', accessToken)
    const items = rows.map(row => Object.assign(document.createElement('li'), { textContent: row.body }))
    find('#notes').replaceChildren(...items)
  }
  const add = async () => {
    await callNotes('', accessToken, { body: new FormData(form).get('body') })
    form.reset()
    await list()
  }
  form.addEventListener('submit', event => {
    event.preventDefault()
    add().catch(showError)
  })
  await list()
  await follow(accessToken, () => list().catch(showError))
}

/** Calls `onChange` when a note of this person was written, wherever that was, and when that may have been missed. */
async function follow(accessToken, onChange) {
  const quoin = createClient(api, anonKey, {
    accessToken: async () => accessToken,
    // By it the server knows how far this page has come, and goes on there when the connection was lost.
    realtime: { params: { client: crypto.randomUUID() } },
  })
  // The token has to be there before the channel is joined: else nobody is signed in.
  await quoin.realtime.setAuth()
  quoin
    .channel('notes')
    .on('postgres_changes', { event: '*', schema: 'public', table: 'notes' }, onChange)
    .on('system', {}, ({ message }) => message === 'must_refetch' && onChange())
    .subscribe((status, error) => {
      find('#live').textContent = status === 'SUBSCRIBED' ? 'Live.' : `Not live: ${error?.message ?? status}`
    })
}

/** Reads notes, or writes `note`. An error of Quoin says what to do in its `hint`. */
async function callNotes(search, accessToken, note) {
  const response = await fetch(`${api}/v1/db/notes${search}`, {
    method: note === undefined ? 'GET' : 'POST',
    headers: {
      apikey: anonKey,
      authorization: `Bearer ${accessToken}`,
      'content-type': 'application/json',
    },
    ...(note !== undefined && { body: JSON.stringify(note) }),
  })
  const answer = await response.json()
  if (!response.ok) throw new Error(`${answer.error} ${answer.hint ?? ''}`)
  return answer
}

function showError({ message, cause }) {
  find('#who').textContent = `That did not work: ${message} ${cause?.error_description ?? ''}`
}
