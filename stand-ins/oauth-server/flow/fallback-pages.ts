// The page that a browser ends on when no address is set for it: it says what was asked of it.

import { html } from 'hono/html'
import type { ServiceApp } from '../../service/listen.ts'

const FALLBACKS = '/oauth2/fallbacks/'

export function addFallbackPages(app: ServiceApp): void {
  app.get(`${FALLBACKS}*`, c => {
    const page = c.req.path.slice(FALLBACKS.length)
    const facts = Object.entries(c.req.query()).map(([name, value]) => html`<li>${name}: ${value}</li>`)
    return c.html(
      html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${page}</title></head>
<body>
  <h1>${page}</h1>
  <ul>${facts}</ul>
  <p>You see this page because the settings of the OAuth2 server name no other.</p>
</body>
</html>`,
      page === 'error' ? 500 : 200,
    )
  })
}
