// Every change of a record of Quoin's own leaves exactly one row in the audit log: each route of the table that changes
// something is called for real. Rows and SQL with an API key are the program's own affair, and leave none.

import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { isAudited } from '../../../src/features/gateway/access-rules.ts'
import { fillParams } from '../../../src/http/path-pattern.ts'
import { type Endpoint, endpointName, endpointsOf } from '../../../src/http/route.ts'
import { allRoutes } from '../../../src/routes/index.ts'
import { makeKey } from '../../support/keys.ts'
import { connectOwner } from '../../support/postgres.ts'
import { deleteMadeClients } from '../oauth/caller.ts'
import { tidyUp } from '../webhooks/caller.ts'
import { type AuditedCall, type AuditedCalls, CALLS, REFUSED_CALLS, removeBuilt } from './audited-calls.ts'

const stack = inject('stack')
const audited = endpointsOf(allRoutes).filter(isAudited)
let apikey: string

beforeAll(async () => {
  apikey = (await makeKey('service_role', { rateLimitPerMinute: 100_000 })).key
})
afterAll(async () => {
  await tidyUp()
  await deleteMadeClients()
  await removeBuilt()
})

/** Calls it as below, and gives back what the call needed. */
async function rowsOf(endpoint: Endpoint, calls: AuditedCalls) {
  const { id } = endpoint.route
  const call = await calls[id]?.()
  if (call === undefined) throw new Error(`audited-calls.ts does not say how ${id} is called`)
  try {
    return await callOnce(endpoint, call)
  } finally {
    await call.after?.()
  }
}

/** Calls it with the credential of its level; answers the status, and what the audit log has of the request. */
async function callOnce({ route, path, level }: Endpoint, call: AuditedCall) {
  const { params = {}, query = '', body, at, key = apikey } = call
  const isKey = level === 'service_role' || level === 'any_key'
  const credential = isKey ? { apikey: key } : { cookie: stack.session_cookie_admin ?? '' }
  const place = fillParams(path, name => encodeURIComponent(params[name] ?? ''))
  const response = await fetch(`${at?.url ?? stack.base_url}${place}${query}`, {
    method: route.method.toUpperCase(),
    headers: { 'content-type': 'application/json', ...credential },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  await using owner = await connectOwner()
  const { rows } = await (at?.owner ?? owner).query(
    'select action, actor_kind, outcome from quoin.audit_logs where request_id = $1',
    [response.headers.get('x-request-id')],
  )
  const row = { action: route.id, actor_kind: isKey ? 'api_key' : 'session' }
  return { isOk: response.ok, text, rows, row }
}

it('is called here with every route that leaves a row, and with no other', () => {
  const ids = new Set(audited.map(({ route }) => route.id))
  const missing = [...ids].filter(id => CALLS[id] === undefined)
  expect(missing, 'test/contract/platform/audited-calls.ts does not say how these are called').toEqual([])
  expect(Object.keys({ ...CALLS, ...REFUSED_CALLS }).filter(id => !ids.has(id))).toEqual([])
})

const named = (endpoints: readonly Endpoint[]) =>
  endpoints.map(endpoint => [endpointName(endpoint), endpoint] as const)

it.each(named(audited))('%s leaves one row when it is done', async (_, endpoint) => {
  const { isOk, text, rows, row } = await rowsOf(endpoint, CALLS)
  expect(isOk, text).toBe(true)
  expect(rows).toEqual([{ ...row, outcome: 'succeeded' }])
})

const refusable = audited.filter(({ route }) => REFUSED_CALLS[route.id] !== undefined)

it.each(named(refusable))('%s leaves one row when it is refused late', async (_, endpoint) => {
  const { isOk, text, rows, row } = await rowsOf(endpoint, REFUSED_CALLS)
  expect(isOk, text).toBe(false)
  expect(rows).toEqual([{ ...row, outcome: 'failed' }])
})

/** The same routes with an API key. */
const excepted = endpointsOf(allRoutes).filter(
  endpoint => !isAudited(endpoint) && CALLS[endpoint.route.id] !== undefined,
)

it.each(named(excepted))('%s leaves none, since the data is the program’s own', async (_, endpoint) => {
  const { isOk, text, rows } = await rowsOf(endpoint, CALLS)
  expect(isOk, text).toBe(true)
  expect(rows).toEqual([])
})
