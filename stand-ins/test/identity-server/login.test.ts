// Signing in and out on the Kratos wire: what a browser, a script and an app see of it. Public HTTP only; see
// test/support/identity-server.ts for the servers it runs against.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type IdentityProvider,
  openIdentityProvider,
  PAGES_URL,
  WELCOME_URL,
} from '../../../test/support/identity-server.ts'
import {
  call,
  csrfTokenOf,
  makePerson,
  NOBODY,
  PASSWORD,
  type Person,
  signIn,
  startFlow,
  submitLogin,
  tokenFor,
} from '../../../test/support/identity-visitor.ts'

const HTML = 'text/html,application/xhtml+xml,*/*;q=0.8'
const ERROR_PAGE = new RegExp(`^${PAGES_URL}/error\\?id=[0-9a-f-]{36}$`)

let provider: IdentityProvider
let selfService: string
let ada: Person

beforeAll(async () => {
  provider = await openIdentityProvider()
  selfService = `${provider.publicUrl}/self-service`
  ada = await makePerson(provider)
})
afterAll(() => provider[Symbol.asyncDispose]())

const begin = (query = '', more: Parameters<typeof call>[1] = {}) =>
  call(`${selfService}/login/browser${query}`, more)
const to = (url: string) => `?return_to=${encodeURIComponent(url)}`
const whoami = (jar: Map<string, string>) => call(`${provider.publicUrl}/sessions/whoami`, { jar })
const flowMessages = (flow: { ui: { messages?: { id: number }[] } }) =>
  (flow.ui.messages ?? []).map(({ id }) => id)

describe('starting', () => {
  it('sends a browser to the page with a flow and a cookie, and gives a script the flow', async () => {
    const jar = new Map()
    const page = await begin('', { accept: HTML, jar })
    expect(page.status).toBe(303)
    expect(page.location).toMatch(new RegExp(`^${PAGES_URL}/login\\?flow=[0-9a-f-]{36}$`))
    expect(page.headers.getSetCookie().join()).toMatch(/^csrf_token_[0-9a-f]{64}=.*httponly.*samesite=lax/i)
    expect((await begin('', { accept: HTML, jar })).headers.getSetCookie()).toEqual([])
    for (const accept of ['*/*', 'text/plain', 'text/html,application/json;q=0.5'])
      expect((await begin('', { accept })).status, accept).toBe(303)
    for (const accept of ['application/json', 'application/json,text/html;q=0.5']) {
      const flow = await begin('', { accept })
      expect(flow).toMatchObject({
        status: 200,
        body: { type: 'browser', refresh: false, requested_aal: 'aal1' },
      })
      expect(flow.body.ui.action).toBe(`${selfService}/login?flow=${flow.body.id}`)
    }
  })

  it('lets only the browser that began a flow read it', async () => {
    const jar = new Map()
    const flow = await startFlow(provider, 'login', jar)
    const read = (id: string, more = {}) => call(`${selfService}/login/flows?id=${id}`, more)
    expect((await read(flow.id, { jar })).body.id).toBe(flow.id)
    const other = new Map()
    await startFlow(provider, 'login', other)
    for (const stranger of [new Map(), other]) {
      const refused = await read(flow.id, { jar: stranger })
      expect(refused).toMatchObject({ status: 403, body: { error: { id: 'security_csrf_violation' } } })
    }
    for (const id of [NOBODY, 'nope', '']) expect((await read(id, { jar })).status, id).toBe(404)
    expect((await call(`${selfService}/registration/flows?id=${flow.id}`, { jar })).status).toBe(404)
  })

  it('asks for a session before a second factor, and refuses unknown ones and login challenges', async () => {
    expect(await begin('?aal=aal2')).toMatchObject({
      status: 401,
      body: { error: { id: 'session_aal1_required' } },
    })
    expect((await begin('?aal=aal9')).status).toBe(400)
    expect(await begin('?login_challenge=x')).toMatchObject({
      status: 500,
      body: { error: { id: 'invalid_configuration' } },
    })
    expect((await begin('?aal=aal2', { accept: HTML })).location).toMatch(ERROR_PAGE)
  })
})

describe('return_to', () => {
  // Each of these is an address that a browser might follow to another site (open redirect).
  it.each([
    'http://evil.example/',
    'https://127.0.0.1:4455/x',
    'http://127.0.0.1:9999/x',
    'http://127.0.0.1/x',
    'http://localhost:4455/x',
    'http://127.0.0.1:4455@evil.example/x',
    '//evil.example/x',
    'javascript:alert(1)',
    'after',
  ])('may not be %j', async url => {
    const refused = await begin(to(url))
    expect(refused).toMatchObject({
      status: 400,
      body: { error: { id: 'self_service_flow_return_to_forbidden' } },
    })
    expect((await begin(to(url), { accept: HTML })).location).toMatch(ERROR_PAGE)
  })

  it('leaves an error that its page can read, without a session of anybody', async () => {
    const { location } = await begin(to('http://evil.example/'), { accept: HTML })
    const id = new URL(location ?? '').searchParams.get('id')
    expect((await call(`${selfService}/errors?id=${id}`)).body).toMatchObject({
      id,
      error: { code: 400, id: 'self_service_flow_return_to_forbidden' },
    })
    for (const none of [NOBODY, 'nope', ''])
      expect((await call(`${selfService}/errors?id=${none}`)).status).toBe(404)
  })
})

describe('a browser signs in', () => {
  const submit = async (fields: Record<string, string>, query = '', jar = new Map<string, string>()) => {
    const flow = await startFlow(provider, 'login', jar, query)
    const form = {
      method: 'password',
      csrf_token: csrfTokenOf(flow),
      identifier: ada.email,
      password: PASSWORD,
      ...fields,
    }
    return { jar, flow, answer: await call(flow.ui.action, { accept: HTML, jar, form }) }
  }

  it('and is led on with a session and another csrf cookie', async () => {
    const { jar, flow, answer } = await submit({ identifier: `  ${ada.email.toUpperCase()} ` })
    expect(answer).toMatchObject({ status: 303, location: WELCOME_URL })
    const [csrf, session] = answer.headers.getSetCookie().sort()
    expect(csrf).toMatch(/^csrf_token_/)
    expect(session).toMatch(/^ory_kratos_session=[\w-]+=*;.*max-age=86\d{3};.*httponly;.*samesite=lax/i)
    expect((await whoami(jar)).body.identity.id).toBe(ada.id)
    expect((await call(`${selfService}/login/flows?id=${flow.id}`, { jar })).status).toBe(403)
  })

  it('and comes back to where it was, whatever the page posts', async () => {
    const back = 'http://127.0.0.1:8787/api/bridge?x=1&y=2'
    expect((await submit({ return_to: 'http://evil.example/' }, to(back))).answer.location).toBe(back)
    expect((await submit({}, '?return_to=/after')).answer.location).toBe(`${PAGES_URL}/after`)
  })

  it('with a wrong password or as nobody: the same form, the same message', async () => {
    for (const wrong of [{ password: 'not-it-at-all' }, { identifier: 'nobody@example.com' }]) {
      const { jar, flow, answer } = await submit(wrong)
      expect(answer).toMatchObject({ status: 303, location: `${PAGES_URL}/login?flow=${flow.id}` })
      const { body, text } = await call(`${selfService}/login/flows?id=${flow.id}`, { jar })
      expect(flowMessages(body)).toEqual([4000006])
      expect(text).not.toContain(PASSWORD)
      expect((await whoami(jar)).status).toBe(401)
    }
  })

  // A form that another site makes a browser send.
  it('not without the token of its cookie', async () => {
    for (const csrf_token of ['', 'nonsense', csrfTokenOf(await startFlow(provider, 'login', new Map()))]) {
      const { jar, answer } = await submit({ csrf_token })
      expect(answer.location).toMatch(ERROR_PAGE)
      expect((await whoami(jar)).status).toBe(401)
    }
  })

  it('not when the account is disabled, and learns it only with the right password', async () => {
    const ida = await makePerson(provider, { state: 'inactive' })
    const fields = { identifier: ida.email, password: PASSWORD }
    const refused = await submitLogin(provider, fields)
    expect(refused).toMatchObject({ status: 401, body: { error: { message: 'identity is disabled' } } })
    expect(refused.headers.getSetCookie().join()).not.toContain('ory_kratos_session')
    expect(flowMessages((await submitLogin(provider, { ...fields, password: 'x' })).body)).toEqual([4000006])
    expect((await submit(fields)).answer.location).toMatch(ERROR_PAGE)
  })
})

describe('a script signs in', () => {
  it('and gets the session and where to go', async () => {
    const done = await submitLogin(
      provider,
      { identifier: ada.email, password: PASSWORD },
      { query: '?return_to=/after' },
    )
    expect(done).toMatchObject({
      status: 200,
      body: {
        session: { active: true, identity: { id: ada.id } },
        continue_with: [{ action: 'redirect_browser_to', redirect_browser_to: `${PAGES_URL}/after` }],
      },
    })
    expect(done.body).not.toHaveProperty('session_token')
  })

  it.each([
    [{ password: 'x' }, [4000006], []],
    [{ password: undefined }, [], ['password 4000002']],
    [{ identifier: '', password: '' }, [], ['identifier 4000002', 'password 4000002']],
    [{ method: 'totp' }, [4010002], []],
    [{ method: undefined }, [4010002], []],
  ])('with %j and gets the flow with 400', async (fields, messages, fieldMessages) => {
    const { status, body } = await submitLogin(provider, {
      identifier: ada.email,
      password: PASSWORD,
      ...fields,
    })
    expect(status).toBe(400)
    expect(flowMessages(body)).toEqual(messages)
    const nodes: { attributes: { name: string }; messages: { id: number }[] }[] = body.ui.nodes
    expect(nodes.flatMap(node => node.messages.map(({ id }) => `${node.attributes.name} ${id}`))).toEqual(
      fieldMessages,
    )
  })

  it('to no flow: 400 without an id, 404 for an unknown one', async () => {
    const json = { method: 'password' }
    for (const query of ['', '?flow=nope'])
      expect((await call(`${selfService}/login${query}`, { json })).status).toBe(400)
    expect((await call(`${selfService}/login?flow=${NOBODY}`, { json })).status).toBe(404)
  })
})

describe('who is signed in already', () => {
  it('is led on at once, or told so, unless the return_to is refused', async () => {
    const { jar } = await signIn(provider, ada)
    expect(await begin('', { jar, accept: HTML })).toMatchObject({ status: 303, location: WELCOME_URL })
    expect(await begin(to(`${PAGES_URL}/after?a=1`), { jar, accept: HTML })).toMatchObject({
      location: `${PAGES_URL}/after?a=1`,
    })
    expect(await begin('', { jar })).toMatchObject({
      status: 400,
      body: { error: { id: 'session_already_available' } },
    })
    expect((await begin(to('http://evil.example/'), { jar, accept: HTML })).location).toMatch(ERROR_PAGE)
  })

  it('confirms by refresh: the same session, authenticated anew', async () => {
    const { jar, session } = await signIn(provider, ada)
    const fields = { identifier: ada.email, password: PASSWORD }
    const again = await submitLogin(provider, fields, { jar, query: '?refresh=true' })
    expect(again.body.session.id).toBe(session.id)
    expect(again.body.session.authentication_methods).toHaveLength(2)
    expect(Date.parse(again.body.session.authenticated_at)).toBeGreaterThan(
      Date.parse(session.authenticated_at),
    )
    expect((await whoami(jar)).body.id).toBe(session.id)
  })

  it('becomes somebody else by refresh only with a session of their own', async () => {
    const bob = await makePerson(provider)
    const { jar, session } = await signIn(provider, ada)
    const swapped = await submitLogin(
      provider,
      { identifier: bob.email, password: PASSWORD },
      { jar, query: '?refresh=true' },
    )
    expect(swapped.body.session.id).not.toBe(session.id)
    expect((await whoami(jar)).body.identity.id).toBe(bob.id)
  })
})

describe('an app', () => {
  const start = async (query = '', headers = {}) => call(`${selfService}/login/api${query}`, { headers })

  it('signs in without cookies and gets a token of 32 letters and digits', async () => {
    expect((await start()).headers.getSetCookie()).toEqual([])
    const { token } = await tokenFor(provider, ada)
    expect(token).toMatch(/^ory_st_[A-Za-z0-9]{32}$/)
    expect((await start(to('http://evil.example/'))).status).toBe(400)
    expect((await start('', { 'x-session-token': token })).body.error.id).toBe('session_already_available')
  })

  // An app's flow has no csrf token: a browser must not be made to send one.
  it('is refused when it sends what only browsers send', async () => {
    for (const headers of [{ origin: 'http://127.0.0.1:5173' }, { cookie: 'theme=dark' }] as Record<
      string,
      string
    >[]) {
      const { body: flow } = await start()
      const json = { method: 'password', identifier: ada.email, password: PASSWORD }
      const refused = await call(flow.ui.action, { json, headers })
      expect(refused.status).toBe(400)
      expect(flowMessages(refused.body)).toEqual([4000001])
    }
  })
})
