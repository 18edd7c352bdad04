import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Upstream } from '../../../src/clients/http.ts'
import { readServerPorts } from '../../../src/features/status/server-states.ts'

type Answer = (url: string, signal: AbortSignal) => Response | Promise<Response>

const READY = () => Response.json({ status: 'ok' })
const NOBODY = () => Response.json({ error: { code: 401 } }, { status: 401 })
const WELL: Record<string, Answer | undefined> = {
  oauth_public: READY,
  oauth_admin: READY,
  id_public: NOBODY,
  id_admin: READY,
  permission_write: READY,
}

beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
})
afterEach(() => {
  vi.restoreAllMocks()
})

function statesWith(answers: Record<string, Answer | undefined>) {
  const asked: string[] = []
  const upstream = (name: Upstream['name'], host: string, variable: string): Upstream => {
    const answer = answers[host]
    return {
      name,
      variable,
      baseUrl: answer && `http://${host}`,
      fetch: async (url, init) => {
        asked.push(String(url))
        return (answer as Answer)(String(url), init?.signal as AbortSignal)
      },
    }
  }
  const states = readServerPorts({
    upstreams: {
      oauthPublic: upstream('oauth_server', 'oauth_public', 'OAUTH_PUBLIC_URL'),
      oauthAdmin: upstream('oauth_server', 'oauth_admin', 'OAUTH_ADMIN_URL'),
      identityPublic: upstream('identity_provider', 'id_public', 'IDENTITY_PUBLIC_URL'),
      identityAdmin: upstream('identity_provider', 'id_admin', 'IDENTITY_ADMIN_URL'),
      permissionWrite: upstream('permission_server', 'permission_write', 'PERMISSION_WRITE_URL'),
    },
  })
  return { states, asked }
}

it('servers that answer are up, and a session is asked for as calls of /api do', async () => {
  const { states, asked } = statesWith(WELL)
  const well = { state: 'up', latencyMs: expect.any(Number), problems: [] }
  expect(await states).toEqual({
    oauthPublic: well,
    oauthAdmin: well,
    identityPublic: well,
    identityAdmin: well,
    permissionWrite: well,
  })
  expect(asked).toContain('http://id_public/sessions/whoami')
})

it('a server that no variable names is off, not asked, and no problem', async () => {
  const { states, asked } = statesWith({})
  const off = { state: 'off', latencyMs: null, problems: [] }
  expect(Object.values(await states)).toEqual([off, off, off, off, off])
  expect(asked).toEqual([])
})

// Nobody could sign in, and the status was ok.
it.each<[string, Answer, string, RegExp]>([
  [
    'oauth_admin',
    () => Promise.reject(new Error('no route')),
    'down',
    /OAuth2 server’s admin port .* OAUTH_ADMIN_URL/,
  ],
  ['oauth_public', () => new Response('', { status: 503 }), 'down', /OAUTH_PUBLIC_URL/],
  ['oauth_public', () => new Response('<html>'), 'misconfigured', /is not the OAuth2 server/],
  ['id_public', () => new Response('', { status: 502 }), 'down', /identity provider’s public port/],
  [
    'id_public',
    () => new Response('<html>'),
    'misconfigured',
    /IDENTITY_PUBLIC_URL is not the identity provider/,
  ],
  ['id_admin', () => new Response('', { status: 403 }), 'misconfigured', /IDENTITY_ADMIN_URL/],
  [
    'permission_write',
    () => new Response('', { status: 503 }),
    'down',
    /permission server’s write port .* PERMISSION_WRITE_URL/,
  ],
])('%s that fails is a problem (%#)', async (host, answer, state, words) => {
  const ports = Object.values(await statesWith({ ...WELL, [host]: answer }).states)
  const failing = ports.filter(port => port.state !== 'up')
  expect(failing).toMatchObject([{ state, problems: [expect.stringMatching(words)] }])
  expect(failing.map(({ latencyMs }) => latencyMs !== null)).toEqual([state !== 'down'])
})

it('servers that hang are given up after two seconds, all at once', async () => {
  const timeouts: number[] = []
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(ms => {
    timeouts.push(ms)
    return AbortSignal.abort(new DOMException('over', 'TimeoutError'))
  })
  const hang: Answer = (_url, signal) => Promise.reject(signal.reason)
  const hanging = Object.fromEntries(Object.keys(WELL).map(host => [host, hang]))
  const ports = Object.values(await statesWith(hanging).states)
  expect(ports.map(({ state, latencyMs }) => [state, latencyMs])).toEqual(ports.map(() => ['down', null]))
  expect(timeouts).toEqual(ports.map(() => 2_000))
})
