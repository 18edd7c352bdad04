// /docs and /openapi.json are open to everybody. What the document says stands in test/static/openapi.test.ts, how the
// page works in test/browser/reference.test.ts.

import { expect, it } from 'vitest'
import { referenceRoutes } from '../../../src/http/reference/routes.ts'
import { type AnyRoute, defineRoute, type RawAnswer } from '../../../src/http/route.ts'

/** A route that counts how often it is described. */
function countedRoute() {
  const counted = { times: 0 }
  const route = defineRoute({
    id: 'keys.list',
    method: 'get',
    mounts: { '/v1/keys': 'none' },
    get summary() {
      counted.times += 1
      return 'Lists things'
    },
    handle: async () => ({ status: 200, headers: {}, body: '' }),
  })
  return { route, counted }
}

/** Reads the routes as text, with their headers. */
function readerOf(routes: AnyRoute[]) {
  const described = referenceRoutes(routes)
  return async (path: string, baseUrl = 'http://quoin.test') => {
    const input = { deps: { config: { baseUrl } } }
    const answer = await described.find(({ mounts }) => path in mounts)?.handle(input as never)
    const { body, headers } = answer as RawAnswer
    return { text: await new Response(body).text(), policy: headers['content-security-policy'] ?? '' }
  }
}

// The attack: each read took 20 ms of the isolate, and a hundred connections stopped it for everybody.
it('makes the document once for an isolate', async () => {
  const { route, counted } = countedRoute()
  const read = readerOf([route])
  const path = '/openapi.json'
  const [{ text }] = await Promise.all([read(path), read(path)])
  expect(text).toContain('http://quoin.test')
  expect(counted.times).toBe(1)
  expect((await read(path)).text).toBe(text)
  expect(counted.times).toBe(1)
  expect((await read(path, 'http://other.test')).text).toContain('http://other.test')
})

// The attack: a script on the page would act with the cookies of /api, and send home what it reads.
it('lets the page run scripts of this origin alone, and ask nobody else', async () => {
  const { text, policy } = await readerOf([countedRoute().route])('/docs')
  expect(policy.split('; ')).toEqual([
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'unsafe-inline'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ])
  expect(text).not.toMatch(/(src|href)="(https?:)?\/\/|<script>| on\w+=/)
})

it('says on the page without JavaScript where the document is', async () => {
  const { text } = await readerOf([countedRoute().route])('/docs')
  expect(/<noscript>.*<a href="\/openapi\.json">.*<\/noscript>/s.test(text)).toBe(true)
})
