// What the service says about itself: the OpenAPI document, the page, status and modules, the load balancer's route.

import { expect, inject, it } from 'vitest'
import { fillParams, paramNames } from '../../../src/http/path-pattern.ts'
import { endpointsOf } from '../../../src/http/route.ts'
import { allRoutes } from '../../../src/routes/index.ts'
import { startCountingGateway } from '../../support/counting-gateway.ts'
import { startTestWorker } from '../../support/worker.ts'

const { base_url, service_role_key, session_cookie_admin, sql_gateway_url } = inject('stack')
/** The listener's route is an agreement between parts of ours, nothing for callers. */
const publicEndpoints = endpointsOf(allRoutes).filter(({ level }) => level !== 'internal')
const read = (path: string) => fetch(base_url + path, { headers: { apikey: service_role_key } })

interface Parameter {
  name: string
  in: string
  required: boolean
  schema: { examples?: unknown[] }
}

interface Document {
  openapi: string
  servers: { url: string }[]
  components: { securitySchemes: Record<string, { in: string; name: string }> }
  paths: Record<string, Record<string, { security: object[]; parameters: Parameter[] }>>
}

const readDocument = async () => (await (await fetch(`${base_url}/openapi.json`)).json()) as Document

it('describes every route of the table in OpenAPI 3.1, with its path parameters and its credential', async () => {
  const document = await readDocument()
  expect(document.openapi).toBe('3.1.0')
  expect(document.servers[0]?.url).toBe(base_url)
  expect(Object.keys(document.paths).filter(path => path.startsWith('/internal'))).toEqual([])
  for (const { route, path, level } of publicEndpoints) {
    const operation = document.paths[fillParams(path, name => `{${name}}`)]?.[route.method]
    expect(operation, `${route.method} ${path}`).toBeDefined()
    const names = operation?.parameters.map(({ name }) => name)
    for (const name of paramNames(path)) expect(names).toContain(name)
    expect(operation?.security.length, path).toBe(['none', 'visitor', 'public'].includes(level) ? 0 : 1)
  }
})

it('serves the program of the page itself, compressed, in a way that browsers may keep', async () => {
  const page = await fetch(`${base_url}/docs`)
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  const [, path = ''] = /<script src="([^"]*)"/.exec(await page.text()) ?? []
  const program = await fetch(base_url + path)
  expect(Object.fromEntries(program.headers)).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'content-encoding': 'gzip',
    'cache-control': 'public, max-age=86400',
    'x-content-type-options': 'nosniff',
  })
  expect(await program.text()).toMatch(/^\/\*! Scalar API Reference [\d.]+, MIT License/)
})

it('describes every endpoint with the credential that it asks for', async () => {
  const document = await readDocument()
  const { apiKey, session } = document.components.securitySchemes
  expect([apiKey, session]).toMatchObject([
    { in: 'header', name: 'apikey' },
    { in: 'cookie', name: 'ory_kratos_session' },
  ])
  const credentials = {
    apiKey: { apikey: service_role_key },
    session: { cookie: session_cookie_admin ?? '' },
  }
  for (const [path, { get }] of Object.entries(document.paths)) {
    if (get === undefined) continue
    const [scheme] = get.security.flatMap(Object.keys) as (keyof typeof credentials)[]
    const headers: Record<string, string> = scheme === undefined ? {} : credentials[scheme]
    const { status } = await fetch(base_url + withExamples(path, get.parameters), {
      headers,
      redirect: 'manual',
    })
    expect([401, 403, 405], path).not.toContain(status)
  }
})

/** The path with the examples of its parameters, or any text. */
function withExamples(path: string, parameters: Parameter[]): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const [example] = parameters.find(parameter => parameter.name === name)?.schema.examples ?? []
    return String(example ?? 'unknown')
  })
}

it('gives the overview of a platform that is well', async () => {
  expect(await (await read('/v1/status')).json()).toMatchObject({
    status: 'ok',
    base_url,
    database: { state: 'up', server_version: expect.stringMatching(/^18/), schemas: ['public'] },
    projects: expect.any(Number),
    api_keys: expect.any(Number),
    webhooks: {
      dead_letters: expect.any(Number),
      unhandled_messages: expect.any(Number),
      listener_connected: true,
      unrecorded_tables: [],
    },
    problems: [],
  })
})

// The page one looks at when something is wrong must not itself be an error.
it('says that the platform is degraded, with nulls, when the database is away', async () => {
  const gateway = await startCountingGateway(sql_gateway_url ?? '')
  await using quoin = await startTestWorker({ vars: { SQL_GATEWAY_URL: gateway.url } })
  const status = () => quoin.fetch('/v1/status', { headers: { apikey: service_role_key } })
  expect(await (await status()).json()).toMatchObject({ status: 'ok' })
  await gateway.close()
  const response = await status()
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject({
    status: 'degraded',
    database: { state: 'down', latency_ms: null, server_version: null, tables: null },
    projects: null,
    api_keys: null,
    webhooks: {
      dead_letters: null,
      unhandled_messages: null,
      listener_connected: null,
      unrecorded_tables: null,
    },
    problems: [expect.stringContaining('The database does not answer')],
  })
})

it('lists the modules, with the reason of one that is off', async () => {
  await using quoin = await startTestWorker({ vars: { OAUTH_PUBLIC_URL: '', IDENTITY_PUBLIC_URL: '' } })
  const response = await quoin.fetch('/v1/modules', { headers: { apikey: service_role_key } })
  const { data } = (await response.json()) as { data: { name: string; enabled: boolean; reason: string }[] }
  const module = (name: string) => data.find(each => each.name === name)
  expect(module('sql')).toMatchObject({ enabled: true, reason: null })
  expect(module('end_users')).toMatchObject({ enabled: false, reason: 'OAUTH_PUBLIC_URL is not set' })
  expect(module('bridge')).toMatchObject({
    enabled: false,
    reason: 'OAUTH_PUBLIC_URL and IDENTITY_PUBLIC_URL are not set',
  })
})

// A load balancer asks often, and must not take the Worker out because the database is away.
it('answers the load balancer without asking the database', async () => {
  await using quoin = await startTestWorker({ vars: { SQL_GATEWAY_URL: 'http://127.0.0.1:9' } })
  const response = await quoin.fetch('/healthz')
  expect(response.status).toBe(200)
  expect(await response.json()).toEqual({ status: 'ok' })
})
