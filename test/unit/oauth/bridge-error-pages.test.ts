// The pages that people get in place of errors: words for them, and below those for whoever helps them.

import { describe, expect, it } from 'vitest'
import type { DiscoveryDocument } from '../../../src/clients/oauth-server/documents.ts'
import { DomainError, ERROR_CODES } from '../../../src/errors.ts'
import { BridgeError } from '../../../src/features/oauth/bridge/bridge-error.ts'
import { bridgeErrorPage, showServerError } from '../../../src/features/oauth/bridge/error-pages.ts'
import { bridge } from './bridge-support.ts'

const END_SESSION = 'https://oauth.example/oauth2/sessions/logout'
const PREAMBLE =
  'The request is missing a required parameter, includes an invalid parameter value, includes a parameter ' +
  'more than once, or is otherwise malformed.'

function withDiscovery(document: object = { end_session_endpoint: END_SESSION }) {
  const discovery = async () => document as DiscoveryDocument
  return { ...bridge().deps, oauthDocuments: { discovery } }
}

describe('an error page', () => {
  const brand = { brandName: 'Quoin', brandColor: '#1f5f8b', brandLogoUrl: undefined }
  const error = { error: 'Gone.', code: 'challenge_expired', detail: null, hint: 'Start.', request_id: 'r-1' }
  const request = { method: 'GET', url: 'http://quoin.example/api/oauthsrv/bridge/login?login_challenge=c' }
  const input = { status: 410, error, brand, request, cause: undefined }

  it('keeps the status, says the code, and links to where the flow began', async () => {
    const facts = { restartUrl: 'https://oauth.example/oauth2/auth?a=1&b=2' }
    const cause = new BridgeError('challenge_expired', 'Gone.', facts)
    const page = await bridgeErrorPage({ ...input, cause })
    expect(page.status).toBe(410)
    expect(page.body).toContain('href="https://oauth.example/oauth2/auth?a=1&amp;b=2"')
    expect(page.body).toContain('challenge_expired · r-1')
    expect((await bridgeErrorPage({ ...input, cause: new DomainError('conflict', '') })).body).not.toContain(
      'href',
    )
  })

  it('offers to try again what may pass, but to send no form twice', async () => {
    const down = { ...input, status: 502, error: { ...error, code: 'upstream_unavailable' } }
    expect((await bridgeErrorPage(down)).body).toMatch(
      /href="\/api\/oauthsrv\/bridge\/login\?login_challenge=c">\s*Try again/,
    )
    const post = { ...down, request: { ...request, method: 'POST' } }
    expect((await bridgeErrorPage(post)).body).not.toContain('href')
  })

  it('says nothing to people that only a developer understands, whatever the error', async () => {
    const words = {
      error: 'query.login_challenge: Invalid input',
      detail: 'limit 30 per 60 s',
      hint: 'Send JSON.',
    }
    for (const code of Object.keys(ERROR_CODES)) {
      const page = await bridgeErrorPage({ ...input, error: { ...error, ...words, code } })
      const [forPeople = '', reference = ''] = (page.body ?? '').split('<p class="reference">')
      expect(forPeople, code).not.toMatch(/query\.|Invalid input|limit 30|JSON|_/)
      for (const text of [`${code} · r-1`, words.error, words.detail]) expect(reference).toContain(text)
      expect(page.body).not.toContain(words.hint)
    }
  })

  it('of an account that is locked offers to sign in with another', async () => {
    const facts = { restartUrl: 'https://oauth.example/oauth2/auth?prompt=login' }
    const cause = new BridgeError('account_unavailable', 'Locked.', facts)
    const page = await bridgeErrorPage({ ...input, error: { ...error, code: cause.code }, cause })
    expect(page.body).toMatch(
      /href="https:\/\/oauth\.example\/oauth2\/auth\?prompt=login">\s*Sign in with another/,
    )
  })

  // Anybody can write an address with an error in it: it must not become a page in our name with a link to theirs.
  it('shows the server’s error as bounded text and never as a link', async () => {
    const page = await showServerError(withDiscovery(), {
      error: '<script>alert(1)</script>',
      error_description: `go to https://evil.example ${'x'.repeat(5_000)}`,
    })
    expect(page.status).toBe(400)
    expect(page.body).toContain('&lt;script&gt;')
    expect(page.body).not.toMatch(/<script|href/)
    expect(page.body?.length).toBeLessThan(12_000)
    expect(page.body?.split('<p class="reference">')[0]).not.toContain('evil.example')
  })

  // The application comes back with the same ID token each time: without a way out nobody could sign out.
  it.each([
    'go-jose/go-jose: error in cryptographic primitive',
    'go-jose/go-jose: compact JWS format must have three parts',
    'Unable to decode token. Invalid PrivateKey type',
    'Logout failed because query parameter state is set but id_token_hint is missing.',
    'Logout failed because query parameter post_logout_redirect_uri is not a whitelisted as a ' +
      'post_logout_redirect_uri for the client.',
  ])('offers to sign out without the application’s help when it says %s', async hint => {
    const query = { error: 'invalid_request', error_description: `${PREAMBLE} ${hint}` }
    const page = await showServerError(withDiscovery(), query)
    expect(page.status).toBe(400)
    expect(page.body).toMatch(new RegExp(`href="${END_SESSION}">\\s*Sign out`))
    const down = {
      ...withDiscovery(),
      oauthDocuments: { discovery: () => Promise.reject(new Error('down')) },
    }
    for (const deps of [down, withDiscovery({}), withDiscovery({ end_session_endpoint: 'javascript:0' })])
      expect((await showServerError(deps, query)).body).not.toContain('href')
  })

  it('offers no sign-out for a request that is about signing in', async () => {
    const page = await showServerError(withDiscovery(), {
      error: 'invalid_request',
      error_description: `${PREAMBLE} The 'redirect_uri' parameter does not match any of the client's.`,
    })
    expect(page.body).not.toContain('href')
  })
})
