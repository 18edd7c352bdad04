// Every route of the table with every kind of credential. A new route is in here the moment it is declared.

import { beforeAll, describe, expect, inject, it } from 'vitest'
import { generateKey } from '../../../src/features/api-keys/record/key-format.ts'
import type { AnyRoute } from '../../../src/http/route.ts'
import { allRoutes } from '../../../src/routes/index.ts'
import { makeKey } from '../../support/keys.ts'

const { base_url } = inject('stack')
const keyed = allRoutes.filter(({ auth }) => auth === 'any_key' || auth === 'service_role')

let anon: string
let service: string
/** Each for so many routes: one key that is refused is looked up twenty times a minute, and then 429. */
let revoked: string[]
const ROUTES_PER_REVOKED_KEY = 15
beforeAll(async () => {
  const roomy = { rateLimitPerMinute: 10_000 }
  const [anonKey, serviceKey] = await Promise.all([makeKey('anon', roomy), makeKey('service_role', roomy)])
  ;[anon, service] = [anonKey.key, serviceKey.key]
  const count = Math.ceil(keyed.length / ROUTES_PER_REVOKED_KEY)
  revoked = await Promise.all(Array.from({ length: count }, makeRevokedKey))
})

async function makeRevokedKey(): Promise<string> {
  const { id, key } = await makeKey('service_role')
  const response = await fetch(`${base_url}/v1/keys/${id}`, {
    method: 'DELETE',
    headers: { apikey: service },
  })
  expect(response.status).toBe(200)
  return key
}

/** Places that no test has, so that a request that gets through changes nothing. */
function call(route: AnyRoute, headers: Record<string, string>): Promise<Response> {
  const path = route.path.replace(/:\w+/g, 'no-such-thing')
  const body = route.method === 'get' || route.method === 'delete' ? {} : { body: '{"no_such_field":1}' }
  return fetch(base_url + path, {
    method: route.method.toUpperCase(),
    headers: { 'content-type': 'application/json', ...headers },
    ...body,
  })
}

async function expectRefusal(response: Response, status: number, code: string): Promise<void> {
  expect(response.status).toBe(status)
  const body = await response.json()
  expect(body).toEqual({
    error: expect.any(String),
    code,
    detail: null,
    hint: expect.any(String),
    request_id: response.headers.get('x-request-id'),
  })
}

function revokedFor(route: AnyRoute): string {
  return revoked[Math.floor(keyed.indexOf(route) / ROUTES_PER_REVOKED_KEY)] ?? ''
}

describe.each(keyed.map(route => [`${route.method.toUpperCase()} ${route.path}`, route] as const))(
  '%s',
  (_, route) => {
    it('refuses a request without a key', async () => {
      await expectRefusal(await call(route, {}), 401, 'invalid_api_key')
    })

    it.each(['', 'svc_sk_short', 'not a key', 'svc_sk_'.padEnd(56, 'A'), 'é'])(
      'refuses the malformed key "%s"',
      async apikey => {
        await expectRefusal(await call(route, { apikey: encodeURI(apikey) }), 401, 'invalid_api_key')
      },
    )

    it('refuses an unknown key of good form, and says no more than for a malformed one', async () => {
      await expectRefusal(
        await call(route, { apikey: generateKey('service_role'), 'cf-connecting-ip': route.id }),
        401,
        'invalid_api_key',
      )
    })

    it('refuses a revoked key', async () => {
      await expectRefusal(
        await call(route, { apikey: revokedFor(route), 'cf-connecting-ip': route.id }),
        401,
        'invalid_api_key',
      )
    })

    it('lets an anon key through only where any key is enough', async () => {
      const response = await call(route, { apikey: anon })
      if (route.auth === 'service_role') return await expectRefusal(response, 403, 'insufficient_role')
      expect([401, 403, 429, 500, 503]).not.toContain(response.status)
    })

    it('lets a service_role key through', async () => {
      const response = await call(route, { apikey: service })
      expect([401, 403, 429, 500, 503]).not.toContain(response.status)
      expect(response.headers.get('x-ratelimit-limit')).toBe('10000')
    })
  },
)

describe.each(['/v1/sql', '/v1/sql/transaction', '/v1/keys'])('POST %s', path => {
  it('refuses a body of more than 1 MiB, with the code and before it is parsed', async () => {
    const response = await fetch(base_url + path, {
      method: 'POST',
      headers: { apikey: service, 'content-type': 'application/json' },
      body: 'x'.repeat(1024 * 1024 + 1),
    })
    expect(response.status).toBe(413)
    expect(await response.json()).toMatchObject({ code: 'payload_too_large', hint: expect.any(String) })
  })
})
