// /docs and /openapi.json are open to everybody. What they say stands in test/contract/reference.test.ts.

import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { referenceRoutes } from '../../../src/http/reference/routes.ts'
import { type AnyRoute, defineRoute, type RawAnswer } from '../../../src/http/route.ts'

/** A route that counts how often it is described. */
function countedRoute() {
  const counted = { times: 0 }
  const route = defineRoute({
    id: 'things.list',
    method: 'get',
    path: '/v1/things',
    auth: 'none',
    get summary() {
      counted.times += 1
      return 'Lists things'
    },
    handle: async () => ({ status: 200, headers: {}, body: '' }),
  })
  return { route, counted }
}

/** Reads the two routes as text, with their headers. */
function readerOf(routes: AnyRoute[]) {
  const described = referenceRoutes(routes)
  return async (path: string, baseUrl = 'http://quoin.test') => {
    const input = { deps: { config: { baseUrl } } }
    const answer = await described.find(route => route.path === path)?.handle(input as never)
    const { body, headers } = answer as RawAnswer
    return { text: await new Response(body).text(), policy: headers['content-security-policy'] ?? '' }
  }
}

// The attack: each read of /docs took 20 ms of the isolate, and a hundred connections stopped it for everybody.
it.each(['/docs', '/openapi.json'])('%s is made once for an isolate', async path => {
  const { route, counted } = countedRoute()
  const read = readerOf([route])
  const [{ text }] = await Promise.all([read(path), read(path)])
  expect(text).toContain('http://quoin.test')
  expect(counted.times).toBe(1)
  expect((await read(path)).text).toBe(text)
  expect(counted.times).toBe(1)
  expect((await read(path, 'http://other.test')).text).toContain('http://other.test')
})

it('lets the page use its own style sheet and nothing else', async () => {
  const { text, policy } = await readerOf([countedRoute().route])('/docs')
  const [, style = ''] = /<style>(.*?)<\/style>/s.exec(text) ?? []
  const hash = createHash('sha256').update(style).digest('base64')
  expect(policy).toBe(
    `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; frame-ancestors 'none'`,
  )
  expect(text).not.toMatch(/<script|<link| style=| on\w+=/)
})
