// What all pages of the identity provider look like, and the headers they leave with. No scripts at all.

import { createHash } from 'node:crypto'
import { html, raw } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'
import type { RequestContext } from './context.ts'

/** HTML whose inserted texts are escaped. */
export type Html = HtmlEscapedString | Promise<HtmlEscapedString>

const PRODUCT = 'Quoin'

const STYLE = `
:root { color-scheme: light dark; --ink: #1c1e21; --faint: #5d6670; --ground: #f3f4f6; --sheet: #fff; --line: #c6cbd1;
  --accent: #2450b8; --on-accent: #fff; --wrong: #a3261c; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8eaed; --faint: #a5adb7; --ground: #15171a; --sheet: #1f2226;
  --line: #444b54; --accent: #8fb0ff; --on-accent: #101828; --wrong: #ff9d92; } }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem; background: var(--ground);
  color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
main { width: 100%; max-width: 24rem; padding: 2rem 1.5rem; background: var(--sheet); border: 1px solid var(--line);
  border-radius: 0.75rem; }
h1 { margin: 0 0 1rem; font-size: 1.5rem; line-height: 1.2; }
p { margin: 0.75rem 0; overflow-wrap: anywhere; }
.product { margin: 0 0 1rem; color: var(--faint); font-weight: 600; }
label { display: block; margin-top: 1rem; font-weight: 600; }
input { display: block; width: 100%; margin-top: 0.25rem; padding: 0.7rem; border: 1px solid var(--line);
  border-radius: 0.5rem; background: transparent; color: inherit; font: inherit; }
input[aria-invalid] { border-color: var(--wrong); }
button { width: 100%; margin-top: 1.25rem; padding: 0.75rem; border: 1px solid var(--accent); border-radius: 0.5rem;
  background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 600; cursor: pointer; }
button.second { margin-top: 0.5rem; background: transparent; color: var(--accent); }
a { color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.error { color: var(--wrong); }
.faint { color: var(--faint); font-size: 0.875rem; }
dt { font-weight: 600; } dd { margin: 0 0 0.5rem; overflow-wrap: anywhere; }
`

// No `form-action`: browsers hold it against redirects too, and signing in leads on to the application, which may be
// anywhere. Every form here is written by this server and posts to itself.
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

export async function answerPage(
  c: RequestContext,
  title: string,
  content: Html,
  status: 200 | 400 | 403 | 404 = 200,
): Promise<Response> {
  c.header('content-security-policy', POLICY)
  c.header('x-content-type-options', 'nosniff')
  c.header('referrer-policy', 'no-referrer')
  const page = await html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · ${PRODUCT}</title>
<style>${raw(STYLE)}</style>
</head>
<body><main><p class="product">${PRODUCT}</p><h1>${title}</h1>${await content}</main></body>
</html>
`
  return c.html(page, status)
}
