import { expect, it } from 'vitest'
import { curlOf } from '../../../dashboard/src/views/oauth2/flow-tester/http-exchange.ts'
import { challengeOf, newSecrets } from '../../../dashboard/src/views/oauth2/flow-tester/pkce.ts'
import {
  authorizationRequest,
  type ClientAccess,
  clientCredentialsRequest,
  codeRequest,
  deviceRequest,
} from '../../../dashboard/src/views/oauth2/flow-tester/requests.ts'

const SERVER = 'https://oauth.example.com'
const PUBLIC: ClientAccess = { id: 'app', method: 'none', secret: '' }
const ASKED = { scope: 'openid email', audience: '' }

// RFC 7636, appendix B.
it('hashes the verifier as RFC 7636 does', async () => {
  const challenge = await challengeOf('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk')
  expect(challenge).toBe('E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM')
})

it('makes other secrets for each run, of allowed length', async () => {
  const [first, second] = await Promise.all([newSecrets(), newSecrets()])
  const all = [first, second].flatMap(({ verifier, state, nonce }) => [verifier, state, nonce])
  expect(new Set(all).size).toBe(6)
  for (const text of all) expect(text).toMatch(/^[\w-]{43}$/)
})

it('sends the browser with the challenge, never with the verifier', async () => {
  const secrets = await newSecrets()
  const { url } = authorizationRequest(
    SERVER,
    'app',
    'https://a.example/b',
    { ...ASKED, prompt: '' },
    secrets,
  )
  const query = Object.fromEntries(new URL(url).searchParams)
  expect(query).toEqual({
    response_type: 'code',
    client_id: 'app',
    redirect_uri: 'https://a.example/b',
    scope: 'openid email',
    state: secrets.state,
    nonce: secrets.nonce,
    code_challenge: secrets.challenge,
    code_challenge_method: 'S256',
  })
  expect(url).not.toContain(secrets.verifier)
})

it('lets a client show who it is the way it is registered', () => {
  const asked = { scope: 'read', audience: '' }
  const basic = clientCredentialsRequest(
    SERVER,
    { id: 'a b', method: 'client_secret_basic', secret: 'ü:1' },
    asked,
  )
  // As in a form (RFC 6749 section 2.3.1): the colon of the secret ends nothing.
  expect(basic.headers).toEqual([
    { name: 'Authorization', value: `Basic ${btoa('a+b:%C3%BC%3A1')}`, isSecret: true },
  ])
  expect(basic.form?.map(({ name }) => name)).toEqual(['grant_type', 'scope'])
  const post = clientCredentialsRequest(SERVER, { id: 'a', method: 'client_secret_post', secret: 's' }, asked)
  expect(post.headers).toEqual([])
  expect(post.form).toContainEqual({ name: 'client_secret', value: 's', isSecret: true })
  const none = codeRequest(SERVER, PUBLIC, { code: 'c', redirectUri: 'https://a.example/b', verifier: 'v' })
  expect(Object.fromEntries(none.form?.map(({ name, value }) => [name, value]) ?? [])).toEqual({
    grant_type: 'authorization_code',
    code: 'c',
    redirect_uri: 'https://a.example/b',
    code_verifier: 'v',
    client_id: 'app',
  })
})

it('names a device once in the form, whatever else proves who it is', () => {
  for (const method of ['none', 'client_secret_basic', 'client_secret_post'] as const) {
    const { form = [] } = deviceRequest(SERVER, { id: 'tv', method, secret: 's' }, ASKED)
    expect(form.filter(({ name }) => name === 'client_id')).toHaveLength(1)
  }
})

// What is copied goes into a shell: a value must not end its quotes.
it('writes curl whose values stay values in a shell', () => {
  const request = codeRequest(SERVER, PUBLIC, { code: `'; rm -rf ~ #`, redirectUri: '', verifier: '$(id)' })
  expect(curlOf(request)).toBe(
    [
      `curl -X POST 'https://oauth.example.com/oauth2/token'`,
      `--data-urlencode 'grant_type=authorization_code'`,
      `--data-urlencode 'code='\\''; rm -rf ~ #'`,
      `--data-urlencode 'code_verifier=$(id)'`,
      `--data-urlencode 'client_id=app'`,
    ].join(' \\\n  '),
  )
})
