// Which of HTML and JSON a request wants.

import { accepts } from 'hono/accepts'
import type { RequestContext } from './context.ts'

/** True when `Accept` prefers JSON to HTML; for a wildcard and without a header HTML wins, as in Kratos. */
export function prefersJson(c: RequestContext): boolean {
  const supports = ['text/html', 'application/json']
  return accepts(c, { header: 'Accept', supports, default: 'text/html' }) === 'application/json'
}

/** True for a script: JSON is preferred, or JSON was sent. */
export function isScript(c: RequestContext): boolean {
  return prefersJson(c) || c.req.header('content-type') === 'application/json'
}
