// The three kinds of answers that the bridge gives: a redirect, a page, JSON. Pages hold no script and load nothing but
// logos; the headers here keep it so whatever a page shows.

import * as z from 'zod'
import type { Brand, PageFrame } from './pages/frame.ts'
import { imageUrl } from './request-url.ts'

/** What JSON is answered with when the flow goes on. */
export const Onward = z
  .object({
    redirect_to: z.string().describe('Where the same browser has to continue'),
  })
  .meta({
    id: 'Onward',
    examples: [{ redirect_to: 'https://id.example.com/oauth2/auth?client_id=shop&consent_verifier=...' }],
  })

/** The makings of a response. */
export interface BridgeAnswer {
  status: number
  headers: Readonly<Record<string, string>>
  body: string | null
  cookies?: readonly string[]
}

export interface PageSettings {
  status?: number
  cookies?: readonly string[]
  /** Images on the page beside the deployment's own logo. */
  imageUrls?: readonly (string | undefined)[]
}

/** Sends the browser on. 303, so that it asks with GET whatever it came with. */
export function goTo(url: string, cookies: readonly string[] = []): BridgeAnswer {
  return { status: 303, headers: { location: url, 'referrer-policy': 'same-origin' }, body: null, cookies }
}

/** A page; `render` is given what belongs to every page. */
export function pageAnswer(
  brand: Brand,
  render: (frame: PageFrame) => string,
  { status = 200, cookies = [], imageUrls = [] }: PageSettings = {},
): BridgeAnswer {
  const nonce = crypto.randomUUID()
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': contentPolicy(nonce, [brand.brandLogoUrl, ...imageUrls]),
      // Forms need the Origin header, which `no-referrer` would turn into `null`; other sites get no address of ours.
      'referrer-policy': 'same-origin',
      'x-frame-options': 'DENY',
    },
    body: render({ brand, nonce }),
    cookies,
  }
}

/** What a page may do: its own style, images from the logos' hosts, forms to us. Nobody may frame it (clickjacking). */
function contentPolicy(nonce: string, imageUrls: readonly (string | undefined)[]): string {
  const hosts = imageUrls.map(imageUrl).flatMap(url => (url === undefined ? [] : [new URL(url).origin]))
  return [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    ...(hosts.length === 0 ? [] : [`img-src ${[...new Set(hosts)].join(' ')}`]),
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

export function jsonAnswer(body: unknown, status = 200): BridgeAnswer {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}
