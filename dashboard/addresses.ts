// The servers that the dashboard speaks to, and what browsers are told of them. Read at build, never at run time: the
// policy must name them, and a page that took them from elsewhere could be pointed at another server.

import * as z from 'zod'

const Address = z.url({ protocol: /^https?$/ }).transform(text => text.replace(/\/$/, ''))

const Addresses = z.object({
  /** Of the Worker: its `BASE_URL`. */
  VITE_API_URL: Address,
  /** Of the OAuth2 server, as browsers reach it: the Worker's `OAUTH_PUBLIC_URL`. */
  VITE_OAUTH_PUBLIC_URL: Address,
  /** Of the identity provider, as browsers reach it: the Worker's `IDENTITY_PUBLIC_URL`. */
  VITE_IDENTITY_PUBLIC_URL: Address,
})
export type Addresses = z.infer<typeof Addresses>

/** Throws, naming each variable that is missing or is no address. */
export function readAddresses(env: Record<string, string>): Addresses {
  const parsed = Addresses.safeParse(env)
  if (parsed.success) return parsed.data
  const lines = parsed.error.issues.map(issue => `  ${issue.path.join('.')}: ${issue.message}`)
  throw new Error(`the dashboard needs the addresses of its servers (docs/deploy.md):\n${lines.join('\n')}`)
}

/** What every answer carries. Styles may be inline: CodeMirror and Kumo write them as they run. */
export function headersOf(addresses: Addresses): Record<string, string> {
  const servers = [...new Set(Object.values(addresses).map(url => new URL(url).origin))]
  const api = new URL(addresses.VITE_API_URL).origin
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    // Files of users, which the server gives out so that nothing in them runs. A frame is for the browser's PDF viewer.
    `img-src 'self' data: ${api}`,
    `media-src ${api}`,
    `frame-src ${api}`,
    "font-src 'self'",
    // Sockets have a scheme of their own, which that of the API does not cover.
    `connect-src 'self' ${servers.join(' ')} ${api.replace(/^http/, 'ws')}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ]
  return {
    'Content-Security-Policy': policy.join('; '),
    'Cross-Origin-Opener-Policy': 'same-origin-allow-popups',
    'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  }
}

/** The file `_headers` of Cloudflare Pages. */
export function headersFile(addresses: Addresses): string {
  const lines = Object.entries(headersOf(addresses)).map(([name, value]) => `  ${name}: ${value}`)
  const assets = '/assets/*\n  Cache-Control: public, max-age=31536000, immutable'
  return `/*\n${lines.join('\n')}\n${assets}\n`
}
