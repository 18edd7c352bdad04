// The pages that a browser ends on when no address is set for them: Hydra's fallbacks, which say what is missing.

import { html } from 'hono/html'
import type { ServiceApp } from '../../service/listen.ts'

const FALLBACKS = '/oauth2/fallbacks'

const MISSING = {
  login: 'loginUrl',
  consent: 'consentUrl',
  logout: 'logoutUrl',
  device: 'deviceVerificationUrl',
}

const DONE = {
  'logout/callback': ['You are signed out.', 'postLogoutRedirectUrl'],
  'device/done': ['Your device is signed in.', 'deviceSuccessUrl'],
} as const

export function addFallbackPages(app: ServiceApp): void {
  for (const [path, setting] of Object.entries(MISSING)) {
    app.get(`${FALLBACKS}/${path}`, c => c.html(page('A page is not set', setting)))
  }
  for (const [path, [title, setting]] of Object.entries(DONE)) {
    app.get(`${FALLBACKS}/${path}`, c => c.html(page(title, setting)))
  }
  app.get(`${FALLBACKS}/error`, c => {
    const facts = ['error', 'error_description', 'error_hint', 'error_debug'].map(
      name => html`<li>${name}: ${c.req.query(name) ?? ''}</li>`,
    )
    return c.html(page('The OAuth2 request resulted in an error', 'errorUrl', html`<ul>${facts}</ul>`), 500)
  })
}

function page(title: string, setting: string, details: unknown = '') {
  return html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${title}</title></head>
<body>
  <h1>${title}</h1>
  ${details}
  <p>You see this page because the setting <code>${setting}</code> of the OAuth2 server names no other.</p>
</body>
</html>`
}
