// Challenges that are older than the OAuth2 server takes them: on a server whose clock the test moves, with a Worker in
// front of it and the stack's identity provider beside.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  authorizeUrl,
  call,
  makeClient,
  param,
  type TestClient,
  toConsent,
} from '../../../stand-ins/test/oauth-server/visitor.ts'
import { makePerson, type Person } from '../../support/applications.ts'
import { type LocalOAuthServer, startLocalOAuthServer } from '../../support/oauth-server.ts'
import { UserAgent } from '../../support/user-agent.ts'
import { startTestWorker, type TestWorker } from '../../support/worker.ts'
import { cookiesOf, signInAt } from './caller.ts'

const TTL_SECONDS = 60

let aheadMs = 0
let server: LocalOAuthServer
let quoin: TestWorker
let client: TestClient
let person: Person
/** Of a browser in which the person is signed in. */
let session: string

beforeAll(async () => {
  server = await startLocalOAuthServer(
    { ttlSeconds: { loginConsentRequest: TTL_SECONDS } },
    { now: () => Date.now() + aheadMs },
  )
  quoin = await startTestWorker({
    vars: { OAUTH_PUBLIC_URL: server.publicUrl, OAUTH_ADMIN_URL: server.adminUrl },
  })
  client = await makeClient(server)
  person = await makePerson()
  const browser = new UserAgent([])
  await signInAt(browser, person)
  session = cookiesOf(browser)
})
afterAll(async () => {
  await quoin?.close()
  await server?.[Symbol.asyncDispose]()
})

const waitTooLong = () => {
  aheadMs += (TTL_SECONDS + 1) * 1_000
}

interface Ask {
  cookie: string
  form?: Record<string, string>
  json?: object
  accept?: string
}

async function ask(path: string, { cookie, form, json, accept = 'text/html' }: Ask) {
  const body = form ? new URLSearchParams(form) : json && JSON.stringify(json)
  const response = await quoin.fetch(`/api/oauthsrv/bridge/${path}`, {
    redirect: 'manual',
    headers: { accept, cookie, ...(json && { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { method: 'POST', body }),
  })
  const set = response.headers.getSetCookie().map(line => line.split(';', 1)[0])
  return { status: response.status, text: await response.text(), cookie: [cookie, ...set].join('; ') }
}

/** What an expired challenge must be: a page that leads back to where the flow began, and JSON for scripts. */
function expectExpired({ status, text }: { status: number; text: string }): void {
  expect(status).toBe(410)
  expect(text).toContain('This page has expired')
  expect(text).toContain(`href="${server.publicUrl}/oauth2/auth?client_id=${client.client_id}`)
}

const EXPIRED = { status: 410, text: expect.stringContaining('"code":"challenge_expired"') }

describe('an expired challenge', () => {
  it('of a login signs nobody in who comes back from the sign-in page too late', async () => {
    const { location } = await call(authorizeUrl(server, client))
    const path = `login?${new URLSearchParams({ login_challenge: param(location, 'login_challenge') })}`
    const away = await ask(path, { cookie: '' })
    expect(away.status).toBe(303)
    waitTooLong()
    expectExpired(await ask(path, { cookie: `${session}; ${away.cookie}` }))
    expect(await ask(path, { cookie: session, accept: '*/*' })).toMatchObject(EXPIRED)
  })

  it('of a consent is neither shown, nor granted or denied on the screen that is still open', async () => {
    const { location } = await toConsent(server, client, { subject: person.id })
    const challenge = param(location, 'consent_challenge')
    const path = `consent?${new URLSearchParams({ consent_challenge: challenge })}`
    const screen = await ask(path, { cookie: session })
    expect(screen.status).toBe(200)
    const form_token = /name="form_token" value="([^"]+)"/.exec(screen.text)?.[1] ?? ''
    waitTooLong()
    const { cookie } = screen
    expectExpired(await ask(path, { cookie }))
    for (const verb of ['accept', 'reject'])
      expectExpired(await ask(`consent/${verb}`, { cookie, form: { challenge, form_token } }))
    const scripts = { cookie: session, accept: '*/*' }
    const yes = { challenge, grant_scope: ['openid'] }
    expect(await ask('consent/accept', { ...scripts, json: yes })).toMatchObject(EXPIRED)
    expect(await ask('consent/reject', { ...scripts, json: { challenge } })).toMatchObject(EXPIRED)
    expect(await ask(path.replace('consent', 'consent/info'), scripts)).toMatchObject(EXPIRED)
  })
})
