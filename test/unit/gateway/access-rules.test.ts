// The rules that `GET /v1/gateway/rules` lists are those that requests are let in by.

import { expect, it } from 'vitest'
import { listAccessRules } from '../../../src/features/gateway/access-rules.ts'
import { endpointName, endpointsOf } from '../../../src/http/route.ts'
import { allRoutes } from '../../../src/routes/index.ts'

const endpoints = endpointsOf(allRoutes)
const rules = (query: Parameters<typeof listAccessRules>[2] = {}) =>
  listAccessRules({ config: { anonBodyBytesMax: 10_000, storageUploadMaxBytes: 20_000 } }, endpoints, query)
    .data

it('is one for each endpoint of the table, in its order and with its level', () => {
  expect(rules().map(({ method, path, level }) => [`${method} ${path}`, level])).toEqual(
    endpoints.map(endpoint => [endpointName(endpoint), endpoint.level]),
  )
})

it.each([
  [
    'POST /v1/keys',
    {
      credential: 'api_key',
      role: 'service_role',
      rate_limit: 'key',
      audited: true,
      body_bytes_max: 1_048_576,
      anon_body_bytes_max: null,
    },
  ],
  [
    'GET /api/keys',
    { credential: 'session', role: 'admin', rate_limit: 'address', audited: false, body_bytes_max: null },
  ],
  // What a key writes is its own data; what a person writes leaves a row.
  ['POST /v1/db/:table', { credential: 'api_key', role: null, audited: false, anon_body_bytes_max: 10_000 }],
  ['POST /api/db/:table', { credential: 'session', audited: true, anon_body_bytes_max: null }],
  ['POST /api/sql/check', { audited: false }],
  // It takes no body, and reads none, whatever is sent.
  ['POST /api/webhooks/:id/test', { audited: true, body_bytes_max: null }],
  ['DELETE /v1/db/:table', { body_bytes_max: null, anon_body_bytes_max: null }],
  [
    'POST /api/oauthsrv/bridge/consent/accept',
    { credential: 'none', role: null, rate_limit: 'address_consent', audited: false },
  ],
  [
    'POST /internal/row-changes',
    { credential: 'signature', role: 'listener', rate_limit: 'none', audited: false },
  ],
  ['GET /healthz', { credential: 'none', role: null, rate_limit: 'none' }],
])('says of %s who gets in and what a call is held to', (name, expected) => {
  expect(rules().find(({ method, path }) => `${method} ${path}` === name)).toMatchObject(expected)
})

it('can be narrowed by level, and by words that are all in them', () => {
  expect(new Set(rules({ level: 'any_key' }).map(({ level }) => level))).toEqual(new Set(['any_key']))
  expect(rules({ search: 'ROTATE  /v1/' }).map(({ id }) => id)).toEqual(['keys.rotate'])
  expect(rules({ search: 'no such words' })).toEqual([])
})
