// Hydra's answer to a path that nothing serves: a page, a sentence or JSON, as the caller accepts, and a page for those
// who do not say.

import type { RequestContext } from '../context.ts'
import { jsonAnswer } from './answers.ts'

const REASON = 'The requested route does not exist. Make sure you are using the right path, domain, and port.'
const PAGE = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>404 - Route not found</title></head>
<body><h1>404</h1><p>${REASON}</p></body>
</html>
`
/** In the order in which they are preferred when the caller likes several as well. */
const OFFERS = ['text/html', 'text/plain', 'application/json'] as const

export function unknownRoute(c: RequestContext): Response {
  switch (negotiate(c.req.header('accept') ?? '')) {
    case 'application/json':
      return jsonAnswer(c, { error: { code: 404, message: 'Not Found', reason: REASON } }, 404)
    case 'text/plain':
      return c.text(`Error 404 - ${REASON}`, 404)
    case 'text/html':
      return c.html(PAGE, 404)
  }
}

/** The offer that an Accept header likes best: of the same weight the one it names most exactly. */
function negotiate(accept: string): (typeof OFFERS)[number] {
  const ranges = accept.split(',').map(readRange)
  let best: (typeof OFFERS)[number] = 'text/html'
  let bestWeight = 0
  let bestExactness = 0
  for (const offer of OFFERS) {
    for (const { type, weight } of ranges) {
      const exactness = exactnessOf(type, offer)
      if (exactness === 0 || weight === 0 || weight < bestWeight) continue
      if (weight === bestWeight && exactness <= bestExactness) continue
      best = offer
      bestWeight = weight
      bestExactness = exactness
    }
  }
  return best
}

function exactnessOf(type: string, offer: string): number {
  if (type === offer) return 3
  if (type === offer.replace(/\/.*/, '/*')) return 2
  return type === '*/*' ? 1 : 0
}

function readRange(range: string): { type: string; weight: number } {
  const [type = '', ...parameters] = range.split(';').map(part => part.trim())
  const weight = parameters.find(parameter => parameter.startsWith('q='))?.slice(2)
  return { type, weight: weight === undefined ? 1 : Number(weight) || 0 }
}
