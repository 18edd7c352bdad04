// Hydra's answer to a path that nothing serves: a page, a sentence or JSON, as the caller accepts, and a page for those
// who do not say.

import { accepts } from 'hono/accepts'
import type { RequestContext } from '../context.ts'
import { jsonAnswer } from './answers.ts'

const REASON = 'The requested route does not exist. Make sure you are using the right path, domain, and port.'
const PAGE = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>404 - Route not found</title></head>
<body><h1>404</h1><p>${REASON}</p></body>
</html>
`

export function unknownRoute(c: RequestContext): Response {
  const type = accepts(c, {
    header: 'Accept',
    supports: ['text/html', 'text/plain', 'application/json'],
    default: 'text/html',
  })
  if (type === 'application/json')
    return jsonAnswer(c, { error: { code: 404, message: 'Not Found', reason: REASON } }, 404)
  return type === 'text/plain' ? c.text(`Error 404 - ${REASON}`, 404) : c.html(PAGE, 404)
}
