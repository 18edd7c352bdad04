// What the consent screen shows, to whom, and that nothing of a client can act in it.

import { describe, expect, it } from 'vitest'
import { readConsentInfo } from '../../../src/features/oauth/bridge/consent-info.ts'
import { showLogout } from '../../../src/features/oauth/bridge/logout.ts'
import { showConsent } from '../../../src/features/oauth/bridge/show-consent.ts'
import { openScreen, SIGNED_OUT } from './bridge-consent-support.ts'
import { ADA, bridge, identity, SIGNED_IN } from './bridge-support.ts'

describe('the screen', () => {
  it('shows who asks for what, in whose name, and posts to us alone', async () => {
    const { page } = await openScreen()
    for (const text of [
      'Web Shop',
      '0@example.com',
      'See your e-mail address',
      'https://api',
      'shop.example',
      'asked again for 60 minutes',
    ])
      expect(page.body).toContain(text)
    expect(page.body?.match(/name="grant_scope" value="[^"]*" checked/g)).toHaveLength(3)
    expect(page.headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'nonce-[\w-]+'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    )
    expect(page.headers['referrer-policy']).toBe('same-origin')
    expect(page.body).not.toMatch(/<script|\son\w+=/)
  })

  // The record of a client was written by whoever registered it.
  it('shows the texts of a client as text, and links no address that is not of the web', async () => {
    const { page } = await openScreen({
      client: {
        client_name: '<img src=x onerror=alert(1)>"\'&',
        client_uri: 'javascript:alert(1)',
        tos_uri: 'data:text/html,<script>alert(1)</script>',
        policy_uri: 'https://shop.example/privacy?a=1&b="><script>',
        logo_uri: 'https://cdn.example/logo.png;%20script-src%20*',
      },
    })
    expect(page.body).toContain('&lt;img src=x onerror=alert(1)&gt;&quot;&#39;&amp;')
    expect(page.body).not.toMatch(/<img src=x|<script|javascript:|data:/)
    expect(page.body).toContain('href="https://shop.example/privacy?a=1&amp;b=%22%3E%3Cscript%3E"')
    expect(page.headers['content-security-policy']).toContain('img-src https://cdn.example; form-action')
  })

  // `;`, `,` and `'` are legal in the host of a URL, and would begin directives of the client's own.
  it.each([
    ["https://a;script-src'unsafe-inline'/x.png", undefined],
    ['https://a,b/x.png', undefined],
    ["https://a'b/x.png", undefined],
    ['https://u:p@cdn.example:8443/x.png', 'https://cdn.example:8443'],
    ['https://[2001:db8::1]/x.png', 'https://[2001:db8::1]'],
  ])('loads the logo %s from %s', async (logo_uri, origin) => {
    const { page } = await openScreen({ client: { logo_uri } })
    const images = page.headers['content-security-policy']?.split('; ').filter(part => part.startsWith('img'))
    expect(images).toEqual(origin === undefined ? [] : [`img-src ${origin}`])
    expect(page.headers['content-security-policy']).not.toMatch(/script-src|,/)
    expect(page.body?.includes('<img')).toBe(origin !== undefined)
  })

  it.each([
    [' \n ', 'app'],
    ['\u200b\u202e\u2066', 'app'],
    ['\u3164', 'app'],
    ['\u202eknaB\u200b \n Shop ', 'knaB Shop'],
  ])('names the application visibly: %j is %s', async (client_name, name) => {
    const { page } = await openScreen({ client: { client_name } })
    expect(page.body).toContain(`<h1>${name} wants to use your account</h1>`)
    const logout = await showLogout(bridge({ client: { client_name } }).deps, 'c', SIGNED_IN)
    expect(logout.body).toContain(`${name} asks to sign you out`)
  })

  it('is not for a stranger who holds a challenge', async () => {
    const { deps } = bridge({ identities: { [ADA]: identity(ADA) } })
    await expect(showConsent(deps, 'c', null)).rejects.toMatchObject(SIGNED_OUT)
  })

  it('sets its cookies for the host alone, over https', async () => {
    const { page } = await openScreen({ baseUrl: 'https://quoin.example' })
    expect(page.cookies).toHaveLength(2)
    for (const cookie of page.cookies ?? [])
      expect(cookie).toMatch(
        /^__Host-quoin_\w+=[\w.-]+; Path=\/; HttpOnly; SameSite=Lax(; Max-Age=\d+)?; Secure$/,
      )
  })
})

it('gives a screen of one’s own all that it needs, and nothing that consents', async () => {
  const { deps } = bridge({ client: { logo_uri: 'javascript:alert(1)', client_secret: 'x' } })
  const info = await readConsentInfo(deps, 'the-challenge')
  expect(info).toMatchObject({
    client: {
      client_id: 'app',
      client_name: 'Web Shop',
      client_uri: 'https://shop.example/',
      logo_uri: null,
    },
    subject: ADA,
    requested_scope: ['openid', 'email', 'offline_access'],
    requested_access_token_audience: ['https://api'],
    skip: false,
    is_device_flow: false,
  })
  expect(JSON.stringify(info)).not.toMatch(/the-challenge|secret/)
})
