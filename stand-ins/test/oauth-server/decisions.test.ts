import { describe, expect, it } from 'vitest'
import { decideConsent } from '../../oauth-server/flow/consent-decision.ts'
import { decideLogin } from '../../oauth-server/flow/login-decision.ts'
import { promptFault } from '../../oauth-server/flow/prompt.ts'

const NOW = 10_000
const form = (query: Record<string, string> = {}) => new URLSearchParams(query)

describe('decideLogin', () => {
  const session = { id: 's', subject: 'ada', authenticatedAt: NOW - 100 }
  const decide = (
    query: Record<string, string>,
    known: typeof session | undefined = session,
    hint?: string,
  ) => {
    const decision = decideLogin(form(query), known, hint, ['ada', 'ada-at-client'], NOW)
    return decision.outcome === 'refuse' ? decision.error.error : decision.outcome
  }

  it('skips for a session that is young enough and the one that was hinted at', () => {
    expect(decide({})).toBe('skip')
    expect(decide({ max_age: '101' })).toBe('skip')
    expect(decide({ prompt: 'none' })).toBe('skip')
    expect(decide({}, session, 'ada-at-client')).toBe('skip')
  })

  it('asks without a session, with an old one, and when it is told to', () => {
    expect(decideLogin(form(), undefined, undefined, [], NOW).outcome).toBe('ask')
    expect(decide({ prompt: 'login' })).toBe('ask')
    expect(decide({ prompt: 'consent login' })).toBe('ask')
    expect(decide({ max_age: '99' })).toBe('ask')
    expect(decide({ max_age: '0' })).toBe('ask')
  })

  it('refuses what would need a page that the request forbids, or another person', () => {
    const none = decideLogin(form({ prompt: 'none' }), undefined, undefined, [], NOW)
    expect(none).toMatchObject({ outcome: 'refuse', error: { error: 'login_required' } })
    expect(decide({ prompt: 'none', max_age: '99' })).toBe('login_required')
    expect(decide({ prompt: 'none login' })).toBe('login_required')
    expect(decide({}, session, 'eve')).toBe('login_required')
  })
})

describe('decideConsent', () => {
  const asked = {
    prompt: null,
    requestedScope: ['openid', 'read'],
    isPublicClient: false,
    redirectUri: 'http://app.example/cb',
    rememberedScope: ['openid', 'read', 'write'],
  }
  const decide = (more: Partial<Parameters<typeof decideConsent>[0]>) =>
    decideConsent({ ...asked, ...more }).outcome

  it('skips what a remembered consent covers', () => {
    expect(decide({})).toBe('skip')
    expect(decide({ prompt: 'none' })).toBe('skip')
    expect(decide({ requestedScope: ['openid', 'admin'] })).toBe('ask')
    expect(decide({ rememberedScope: undefined })).toBe('ask')
    expect(decide({ prompt: 'consent' })).toBe('ask')
  })

  it('skips for a public client only where nobody else can receive the answer', () => {
    const isPublicClient = true
    expect(decide({ isPublicClient })).toBe('ask')
    expect(decide({ isPublicClient, redirectUri: 'com.example.app:/cb' })).toBe('ask')
    expect(decide({ isPublicClient, redirectUri: undefined })).toBe('ask')
    expect(decide({ isPublicClient, redirectUri: 'https://app.example/cb' })).toBe('skip')
    expect(decide({ isPublicClient, redirectUri: 'http://127.0.0.1:1/cb' })).toBe('skip')
    expect(decide({ isPublicClient, redirectUri: 'http://[::1]/cb' })).toBe('skip')
  })

  it('refuses where no page may be shown', () => {
    expect(decide({ prompt: 'none', rememberedScope: undefined })).toBe('refuse')
    expect(decide({ prompt: 'none consent' })).toBe('refuse')
  })
})

describe('promptFault', () => {
  const terms = {
    form: form(),
    isPublicClient: false,
    redirectUri: 'https://app.example/cb',
    hintedSubject: undefined,
  }
  const login = { clientSubject: 'ada', authenticatedAt: NOW, requestedAt: NOW }
  const fault = (query: Record<string, string>, more: Partial<typeof login> = {}, of: object = {}) =>
    promptFault({ ...terms, form: form(query), ...of }, { ...login, ...more })?.error

  it('accepts a login that satisfies the request', () => {
    expect(fault({})).toBeUndefined()
    expect(fault({ prompt: 'login' })).toBeUndefined()
    expect(fault({ prompt: 'none' }, { authenticatedAt: NOW - 5 })).toBeUndefined()
    expect(fault({ max_age: '10' }, { authenticatedAt: NOW - 10 })).toBeUndefined()
    expect(fault({}, {}, { hintedSubject: 'ada' })).toBeUndefined()
  })

  it('finds a login that is too old, too new or of another person', () => {
    expect(fault({ prompt: 'login' }, { authenticatedAt: NOW - 1 })).toBe('login_required')
    expect(fault({ prompt: 'none' }, { authenticatedAt: NOW + 1 })).toBe('login_required')
    expect(fault({ max_age: '10' }, { authenticatedAt: NOW - 11 })).toBe('login_required')
    expect(fault({}, {}, { hintedSubject: 'eve' })).toBe('login_required')
    expect(fault({}, {}, { hintedSubject: null })).toBe('invalid_request')
  })

  it('finds prompts that are unknown, contradict each other or are not safe', () => {
    expect(fault({ prompt: 'magic' })).toBe('invalid_request')
    expect(fault({ prompt: 'none consent' })).toBe('invalid_request')
    const open = { isPublicClient: true, redirectUri: 'http://app.example/cb' }
    expect(fault({ prompt: 'none' }, {}, open)).toBe('consent_required')
  })
})
