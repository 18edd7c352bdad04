// The bridge between an OAuth2 server and an identity provider that give set answers, one browser at a time.

import type { Upstream } from '../../../src/clients/http.ts'
import type { BridgeAnswer } from '../../../src/features/oauth/bridge/answers.ts'
import type { BridgeDeps } from '../../../src/features/oauth/bridge/bridge-deps.ts'
import type { Submission } from '../../../src/features/oauth/bridge/submitted.ts'
import { type Call, fakePlatform, fakeServer, NOT_FOUND } from './fake-server.ts'

export const ADA = '0d6a9b0e-6f39-4f0e-8a55-3f9d1f6d9a01'
export const BOB = '1d6a9b0e-6f39-4f0e-8a55-3f9d1f6d9a02'
/** The cookie of the session that `World.whoami` is about. */
export const SIGNED_IN = 'session=1'
export const NOW = new Date('2026-05-01T12:00:00Z')
export const REQUEST_URL =
  'https://oauth.example/oauth2/auth?client_id=app&redirect_uri=https%3A%2F%2Fshop.example%2Fcb&scope=openid'

const CLIENT = {
  client_id: 'app',
  client_name: 'Web Shop',
  client_uri: 'https://shop.example/',
  redirect_uris: ['https://shop.example/cb'],
  metadata: {},
  skip_consent: false,
}

/** What the two servers say; each part can be replaced. */
export interface World {
  login?: object
  consent?: object
  logout?: object
  /** The consents that the subject has given, as the server lists them. */
  given?: object[]
  client?: object
  /** Whose session the cookie `session=1` is; null: nobody's. */
  whoami?: object | null
  /** Replaces the answer to calls whose method and path begin so. */
  answers?: Record<string, [number, unknown]>
  /** The identity provider's admin API; left out: not configured. */
  identities?: Record<string, object>
  claims?: object
  baseUrl?: string
}

export function identity(id: string, rest: object = {}) {
  return { id, state: 'active', traits: { email: `${id.slice(0, 1)}@example.com` }, ...rest }
}

export function sessionOf(id: string, rest: object = {}) {
  return {
    id: 'session-1',
    active: true,
    authenticated_at: '2026-05-01T11:00:00Z',
    expires_at: '2026-05-01T13:00:00Z',
    authenticator_assurance_level: 'aal1',
    authentication_methods: [{ method: 'password' }, { method: 'password' }],
    identity: identity(id),
    ...rest,
  }
}

export function bridge(world: World = {}) {
  const oauth = fakeServer(call => oauthAnswer(world, call))
  const identityPublic = fakeServer(call => publicAnswer(world, call), 'identity_provider')
  const identityAdmin = fakeServer(call => adminAnswer(world, call), 'identity_provider')
  const { platform } = fakePlatform(() => [world.claims ?? { id_token_claims: {}, access_token_claims: {} }])
  const unset: Upstream = { ...identityAdmin.server, baseUrl: undefined }
  const deps: BridgeDeps = {
    recheckSockets: async () => {},
    config: {
      baseUrl: world.baseUrl ?? 'http://quoin.example',
      oauthPublicUrl: 'https://oauth.example',
      identityPublicUrl: 'http://identity.example',
      databaseUrl: 'postgres://owner:secret@h/quoin',
      consentRememberSeconds: 3_600,
      brandName: 'Quoin',
      brandColor: '#1f5f8b',
      brandLogoUrl: undefined,
    },
    upstreams: {
      oauthAdmin: oauth.server,
      identityPublic: identityPublic.server,
      identityAdmin: world.identities === undefined ? unset : identityAdmin.server,
    },
    platform,
    now: () => NOW,
  }
  return { deps, oauth, identityPublic, identityAdmin }
}

type Reply = [number, unknown]

function oauthAnswer(world: World, { method, path }: Call): Reply {
  const replaced = Object.entries(world.answers ?? {}).find(([start]) =>
    `${method} ${path}`.startsWith(start),
  )
  if (replaced !== undefined) return replaced[1]
  const client = { ...CLIENT, ...world.client }
  const kind = /requests\/(\w+)/.exec(path)?.[1]
  if (path.startsWith('/admin/oauth2/auth/sessions/consent?')) return [200, world.given ?? []]
  if (path.startsWith('/admin/oauth2/auth/sessions/login?')) return [204, undefined]
  if (method === 'PUT') return [200, { redirect_to: `https://oauth.example/next?${kind}` }]
  const common = { challenge: 'c', subject: ADA, client, request_url: REQUEST_URL, skip: false }
  if (kind === 'login') return [200, { ...common, subject: '', ...world.login }]
  if (kind === 'logout') return [200, { ...common, rp_initiated: true, sid: 'x', ...world.logout }]
  const asked = {
    requested_scope: ['openid', 'email', 'offline_access'],
    consent_request_id: 'r-1',
    login_session_id: 'l-1',
  }
  return [200, { ...common, ...asked, requested_access_token_audience: ['https://api'], ...world.consent }]
}

function publicAnswer(world: World, { path, headers }: Call): Reply {
  const replaced = Object.entries(world.answers ?? {}).find(([start]) => `identity ${path}`.startsWith(start))
  if (replaced !== undefined) return replaced[1]
  const isSignedIn = headers.get('cookie')?.includes('session=1') && world.whoami !== null
  if (!isSignedIn) return [401, { error: { code: 401 } }]
  if (path === '/sessions/whoami') return [200, world.whoami ?? sessionOf(ADA)]
  if (path === '/self-service/logout/browser') return [200, { logout_token: 't' }]
  return path === '/self-service/logout?token=t' ? [204, undefined] : [404, NOT_FOUND]
}

function adminAnswer(world: World, { path }: Call): Reply {
  const found = world.identities?.[path.split('/').at(-1) ?? '']
  return found === undefined ? [404, { error: { code: 404 } }] : [200, found]
}

/** The cookies of an answer, as the browser would send them back beside `before`. */
export function nextCookies(answer: BridgeAnswer, before = ''): string {
  const set = (answer.cookies ?? []).map(cookie => cookie.split(';', 1)[0] ?? '')
  const names = new Set(set.map(pair => pair.split('=', 1)[0]))
  const kept = before.split('; ').filter(pair => pair !== '' && !names.has(pair.split('=', 1)[0] ?? ''))
  return [...kept, ...set].join('; ')
}

export const location = (answer: BridgeAnswer) => new URL(answer.headers['location'] ?? 'none:')

export function json(body: unknown, cookieHeader: string | null = null): Submission {
  const text = JSON.stringify(body)
  return { contentType: 'application/json', cookieHeader, readBodyText: async () => text }
}

export function form(fields: [string, string][], cookieHeader: string | null = null): Submission {
  const text = new URLSearchParams(fields).toString()
  return {
    contentType: 'application/x-www-form-urlencoded',
    cookieHeader,
    readBodyText: async () => text,
  }
}

/** A hidden field of a page's form. */
export function hidden(page: BridgeAnswer, name: string): string {
  return new RegExp(`name="${name}" value="([^"]*)"`).exec(page.body ?? '')?.[1] ?? ''
}

/** The body of the one call that began so. */
export function sent(calls: readonly Call[], start: string): Record<string, unknown> {
  const found = calls.filter(({ method, path }) => `${method} ${path}`.startsWith(start))
  if (found.length !== 1) throw new Error(`${found.length} calls of ${start}`)
  return JSON.parse(found[0]?.body || '{}')
}
