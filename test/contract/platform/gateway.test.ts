// /v1/gateway and /api/gateway over HTTP, on the whole stack. What becomes of parts that hang or are away is in
// test/worker/gateway-health.test.ts; what a rule says is in test/unit/gateway/access-rules.test.ts.

import { expect, inject, it } from 'vitest'
import { AccessRuleList } from '../../../src/features/gateway/access-rules.ts'
import { GatewayHealth } from '../../../src/features/gateway/health.ts'
import { referenceRoutes } from '../../../src/http/reference/routes.ts'
import { endpointName, endpointsOf } from '../../../src/http/route.ts'
import { allRoutes } from '../../../src/routes/index.ts'

const { base_url, service_role_key, session_cookie_admin } = inject('stack')

async function get(path: string) {
  const headers = { apikey: service_role_key, cookie: session_cookie_admin ?? '' }
  const response = await fetch(`${base_url}${path}`, { headers })
  return { status: response.status, json: await response.json() }
}

it.each(['/v1/gateway/health', '/api/gateway/health'])(
  '%s says of a whole stack that its parts are up',
  async path => {
    const { status, json } = await get(path)
    expect(status).toBe(200)
    const { parts } = GatewayHealth.strict().parse(json)
    // Of those two the database tells, and other tests break what they go by.
    const asked = parts.filter(({ name }) => name !== 'listener' && name !== 'row_changes')
    expect(asked.filter(({ state }) => state !== 'up')).toEqual([])
  },
)

it.each(['/v1/gateway/rules', '/api/gateway/rules'])('%s has every endpoint that is served', async path => {
  const { status, json } = await get(path)
  expect(status).toBe(200)
  const { data } = AccessRuleList.strict().parse(json)
  const served = endpointsOf([...allRoutes, ...referenceRoutes(allRoutes)])
  expect(data.map(rule => `${rule.method} ${rule.path}`)).toEqual(served.map(endpointName))
})

it('narrows the rules by level and words, and refuses what is no level', async () => {
  const { json } = await get('/v1/gateway/rules?level=any_key&search=db%20function')
  const rules = json.data.map((rule: { method: string; path: string }) => `${rule.method} ${rule.path}`)
  expect(rules).toEqual(['POST', 'GET', 'OPTIONS'].map(method => `${method} /v1/db/rpc/:function`))
  expect(await get('/v1/gateway/rules?level=everybody')).toMatchObject({
    status: 400,
    json: { code: 'validation_failed' },
  })
  expect(await get(`/v1/gateway/rules?search=${'x'.repeat(201)}`)).toMatchObject({ status: 400 })
})
