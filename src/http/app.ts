// Turns the route table into a Hono app: credential check, validation, handler, headers, errors, in that order.
// Knows no feature; what a route does stands in `src/routes`.

import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { PatternRouter } from 'hono/router/pattern-router'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import type { FinishedRequest } from '../features/metrics/request-batch.ts'
import { ADMIT, confirmAdmission } from './admission/admission.ts'
import { rateLimitHeaders } from './admission/api-key.ts'
import type { Arrival } from './admission/arrival.ts'
import {
  type ApiKeyPrincipal,
  type AuthLevel,
  actorOf,
  type SessionPrincipal,
} from './admission/principal.ts'
import { BODY_BYTES_MAX, checkedJson, checkUtf8, type PassedBody, passedBody, readBytes } from './body.ts'
import { CORS_HEADERS, dashboardCors, isForAnyOrigin, isPreflight, preflightResponse } from './cors.ts'
import { answerOf, type ErrorAnswer, errorResponse } from './error-response.ts'
import { insteadOf } from './other-paths.ts'
import { isPathOf, routerPattern } from './path-pattern.ts'
import {
  type AnyRoute,
  bodyBytesMaxOf,
  type Endpoint,
  endpointName,
  endpointsOf,
  type RawAnswer,
  wantsPage,
} from './route.ts'
import { RequestTimings } from './timings.ts'
import { parseBody, queryValidator } from './validation.ts'
import { wireOf } from './wires/wires.ts'

/** Gives the composed dependencies of one request; its database reports each trip to `timings`. */
export type DepsForRequest = (env: object, timings: RequestTimings) => Deps

/** Told of each request that a route answered, or that no route took. */
export type OnAnswer = (
  env: object,
  request: FinishedRequest,
  waitUntil: (work: Promise<unknown>) => void,
) => void

type AppEnv = { Bindings: object }

/** Hono's context, with what the validator leaves in it. */
type AppContext = Context<AppEnv, string, { out: { query: unknown } }>

/** What one request gathers on its way, so that headers and errors know it whatever fails. */
interface Exchange extends Arrival {
  c: AppContext
  requestId: string
  /** Method and pattern of the route, as `GET /v1/keys`; null where no route took the request. */
  route: string | null
  path: string
  params: Record<string, string>
  timings: RequestTimings
  principal: ApiKeyPrincipal | SessionPrincipal | null
}

/** An endpoint as it is registered. */
interface Served extends Endpoint {
  endpoints: readonly Endpoint[]
  validateQuery: MiddlewareHandler | undefined
}

/** Registers every route; an unknown path is `not_found`, a known one with another method `method_not_allowed`. */
export function createApp(
  routes: readonly AnyRoute[],
  depsForRequest: DepsForRequest,
  onAnswer: OnAnswer,
): Hono<AppEnv> {
  const tell = async (exchange: Exchange, answering: Promise<Response>) => {
    const response = await answering
    try {
      onAnswer(exchange.c.env, finishedRequest(exchange, response.status), exchange.waitUntil)
    } catch (err) {
      // What was done and answered stays so.
      console.error(JSON.stringify({ level: 'error', component: 'http', message: String(err) }))
    }
    return response
  }
  // Paths where a literal and a parameter meet (/v1/db/rpc, /v1/db/:table) put Hono's default router on its slow path.
  // That path costs a request 15 µs more than trying the patterns in turn.
  const app = new Hono<AppEnv>({ router: new PatternRouter() })
  app.options('*', async (c, next) =>
    isPreflight(c.req.raw, c.req.path) ? preflightResponse(c.req.raw) : next(),
  )
  const dashboardUrlOf = (env: object) => depsForRequest(env, new RequestTimings()).config.dashboardUrl
  app.use('/api/*', dashboardCors(dashboardUrlOf))
  const endpoints = endpointsOf(routes)
  for (const endpoint of endpoints) {
    const served = { ...endpoint, endpoints, validateQuery: queryValidator(endpoint.route.query) }
    app.on(endpoint.route.method.toUpperCase(), routerPattern(endpoint.path), c => {
      const exchange = newExchange(c, endpoint)
      return tell(exchange, serve(served, depsForRequest, exchange))
    })
  }
  app.notFound(c => {
    const exchange = newExchange(c, undefined)
    return tell(exchange, refuseUnknown(endpoints, depsForRequest, exchange))
  })
  app.onError((err, c) => finishError(newExchange(c, undefined), err))
  return app
}

function finishedRequest(
  { requestId, route, principal, timings }: Exchange,
  status: number,
): FinishedRequest {
  const durationMs = timings.totalMs
  return {
    // The clock stands still while code runs, so this is when the last answer came in.
    atMs: Date.now(),
    requestId,
    route: route ?? 'unmatched',
    status,
    durationMs,
    keyId: principal?.kind === 'api_key' ? principal.key.id : null,
    isStranger: principal === null,
  }
}

/** No route took the request: said as the routes beside it say their errors, under /api legibly for the dashboard. */
async function refuseUnknown(
  endpoints: readonly Endpoint[],
  depsForRequest: DepsForRequest,
  exchange: Exchange,
): Promise<Response> {
  const { c, request, path, timings } = exchange
  const err = noRoute(endpoints, request.method, path)
  if (!path.startsWith('/api/')) return finishError(exchange, err)
  const deps = depsForRequest(c.env, timings)
  const neighbour = endpoints.find(({ route, path: at }) => route.errorPage && isBeside(at, path))
  const page = neighbour && (await errorPage(neighbour.route, deps, exchange, err))
  return page ?? finishError(exchange, err)
}

async function serve(served: Served, depsForRequest: DepsForRequest, exchange: Exchange): Promise<Response> {
  const { route, level } = served
  let deps: Deps | undefined
  try {
    refuseBrokenPath(exchange.request.url)
    deps = depsForRequest(exchange.c.env, exchange.timings)
    exchange.bodyBytesMax = bodyBytesMaxOf(served, deps.config)
    await admit(level, deps, exchange)
    return await runHandler(served, deps, exchange)
  } catch (err) {
    const page = deps && (await errorPage(route, deps, exchange, err))
    return page ?? finishError(exchange, err)
  }
}

/** The error as a page, for a route that serves people with browsers; undefined for scripts. */
async function errorPage(
  route: AnyRoute,
  deps: Deps,
  exchange: Exchange,
  err: unknown,
): Promise<Response | undefined> {
  const { request } = exchange
  if (route.errorPage === undefined || !wantsPage(request)) return undefined
  const { status, headers, body } = answerTo(exchange, err)
  const page = await route.errorPage({ status, error: body, brand: deps.config, request, cause: err })
  return finish(exchange, { ...page, headers: { ...headers, ...page.headers } })
}

/** A path that is no percent-encoded UTF-8 would name another thing than was meant. */
function refuseBrokenPath(url: string): void {
  if (!url.includes('%')) return
  try {
    decodeURIComponent(url.split('?', 1)[0] ?? '')
  } catch (cause) {
    throw new DomainError('invalid_parameter', 'The path is not valid percent-encoded UTF-8.', {
      hint: 'Encode each segment, as encodeURIComponent does.',
      cause,
    })
  }
}

/** Whether the caller may come in, before anything that was sent is looked at. */
async function admit(level: AuthLevel, deps: Deps, exchange: Exchange): Promise<void> {
  const startedAt = performance.now()
  exchange.principal = await ADMIT[level](deps, exchange)
  if (level !== 'none') exchange.timings.add('admission', performance.now() - startedAt)
}

async function runHandler(
  { route, endpoints, validateQuery }: Served,
  deps: Deps,
  exchange: Exchange,
): Promise<Response> {
  const { c, request, signedBody, bodyBytesMax } = exchange
  const admittedAt = performance.now()
  const confirm = async () => {
    if (performance.now() - admittedAt > TRUSTED_MS)
      await confirmAdmission(deps, exchange, exchange.principal)
  }
  const readRawBytes = async () => {
    if (signedBody !== undefined) return signedBody
    const bytes = await readBytes(request, Math.min(bodyBytesMax, heldBytesMax(deps, exchange)))
    await confirm()
    return bytes
  }
  const readBodyBytes = async () => checkUtf8(await readRawBytes())
  if (validateQuery) await validateQuery(c, passOn)
  const { body, bodyText } = await bodyOf(route, request, readBodyBytes)
  const passed = route.streamsBody === true ? passedBody(request, bodyBytesMax, confirm) : null
  const input = {
    deps,
    principal: exchange.principal as never,
    params: exchange.params,
    query: c.req.valid('query'),
    body,
    bodyText,
    caller: {
      actor: actorOf(exchange.principal),
      action: route.id,
      requestId: exchange.requestId,
      address: exchange.address,
    },
    request,
    path: exchange.path,
    search: searchOf(request.url),
    readBodyBytes,
    readRawBytes,
    bodyStream: passed?.stream ?? null,
    endpoints,
  }
  const result = await handle(route, input, passed)
  if (result instanceof Response) return finishResponse(exchange, result)
  // `defineRoute` lets a route without a response schema return nothing else.
  if (route.response === undefined) return finish(exchange, result as RawAnswer)
  const status = route.status ?? 200
  return finish(exchange, { status, headers: JSON_TYPE, body: JSON.stringify(result) })
}

/** Only whoever was let in comes here: of a stranger's body nothing is read. */
async function handle(
  route: AnyRoute,
  input: Parameters<AnyRoute['handle']>[0],
  passed: PassedBody | null,
): Promise<unknown> {
  try {
    return await route.handle(input)
  } catch (err) {
    await passed?.discardRest()
    throw err
  }
}

/** So long an isolate lets a key in by permits anyway; a body that takes longer is asked about once more. */
const TRUSTED_MS = 1_000

/** An anon key is public: how much of what it sends is held in memory is bounded by itself. */
function heldBytesMax({ config }: Deps, { principal }: Exchange): number {
  const isAnon = principal?.kind === 'api_key' && principal.key.role === 'anon'
  return isAnon ? config.anonBodyBytesMax : Number.POSITIVE_INFINITY
}

const JSON_TYPE = { 'content-type': 'application/json' }

/** By hand: the runtime has checked the URL already, and parsing it again costs more than all of a handler. */
function searchOf(url: string): string {
  const at = url.indexOf('?')
  return at === -1 ? '' : url.slice(at)
}

/** The validator is called within `serve`, after the credential; nothing comes after it. */
const passOn = async () => {}

/** The JSON body as the route's schema gives it, and its text. */
async function bodyOf(
  { body: schema, bodyValuesMax }: AnyRoute,
  { headers }: Request,
  readBodyBytes: () => Promise<Uint8Array>,
): Promise<{ body: unknown; bodyText: string }> {
  if (schema === undefined) return { body: undefined, bodyText: '' }
  const text = checkedJson(await readBodyBytes(), headers.get('content-type'), bodyValuesMax)
  return { body: parseBody(schema, text), bodyText: text ?? '' }
}

function newExchange(c: AppContext, endpoint: Endpoint | undefined): Exchange {
  const route = endpoint?.route
  return {
    c,
    requestId: crypto.randomUUID(),
    request: c.req.raw,
    route: endpoint === undefined ? null : endpointName(endpoint),
    path: c.req.path,
    params: endpoint === undefined ? {} : c.req.param(),
    countedAs: route?.countedAs ?? 'api',
    bodyBytesMax: BODY_BYTES_MAX,
    takesBasicAuth: route?.takesBasicAuth === true,
    takesKeyInQuery: route?.takesKeyInQuery === true,
    timings: new RequestTimings(),
    principal: null,
    address: c.req.header('cf-connecting-ip') ?? null,
    rateLimit: undefined,
    signedBody: undefined,
    waitUntil: work => c.executionCtx.waitUntil(work),
  }
}

/** The error as JSON of ours, or as the wire of the path has it. */
function finishError(exchange: Exchange, err: unknown): Response {
  const answer = answerTo(exchange, err)
  const wire = wireOf(exchange.path)
  if (wire === undefined) return finishResponse(exchange, errorResponse(answer))
  return finish(exchange, wire.refusal(answer, exchange))
}

function answerTo({ principal, requestId, route }: Exchange, err: unknown): ErrorAnswer {
  const isKnown =
    principal?.kind === 'session' || principal?.key.role === 'service_role' || principal?.endUser
  return answerOf(err, { requestId, isAnonymous: !isKnown, route })
}

function finish(exchange: Exchange, { status, headers, body, cookies = [] }: RawAnswer): Response {
  const response = new Response(body, { status, headers: { ...commonHeaders(exchange), ...headers } })
  for (const cookie of cookies) response.headers.append('set-cookie', cookie)
  return response
}

function finishResponse(exchange: Exchange, response: Response): Response {
  const { headers } = response
  // A WebSocket that was opened: whoever opened it has said all.
  if (response.status === 101) return response
  for (const [name, value] of Object.entries(commonHeaders(exchange))) {
    if (!headers.has(name)) headers.set(name, value)
  }
  return response
}

/**
 * Every answer carries the request id and the times; under /v1 the limit's state too, and outside /api what lets pages
 * read it.
 */
function commonHeaders({ requestId, timings, path, rateLimit }: Exchange): Record<string, string> {
  return {
    'x-request-id': requestId,
    'server-timing': timings.header(),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(isForAnyOrigin(path) ? CORS_HEADERS : undefined),
    ...(rateLimit ? rateLimitHeaders(rateLimit) : undefined),
  }
}

/** Why no route took the request: the path is unknown, or known with other methods only. */
function noRoute(endpoints: readonly Endpoint[], method: string, path: string): DomainError {
  // One part more than any route has is enough: such a path is nobody's, and a path may be all slashes.
  const partsMax = Math.max(...endpoints.map(endpoint => endpoint.path.split('/').length))
  const parts = path.split('/', partsMax + 1)
  const here = endpoints.filter(endpoint => isPathOf(endpoint.path, parts))
  // HEAD is served wherever GET is.
  const allowed = here.flatMap(({ route: { method } }) =>
    method === 'get' ? ['GET', 'HEAD'] : method.toUpperCase(),
  )
  if (allowed.length === 0) {
    const instead = insteadOf(path)
    const nothing = `Nothing is served at ${path.slice(0, 200)}.`
    return new DomainError('not_found', instead === undefined ? nothing : `${nothing} ${instead}`, {
      hint: 'Every endpoint is listed at /docs.',
    })
  }
  return new DomainError('method_not_allowed', `${method} is not served here.`, {
    hint: `Use ${allowed.join(', ')}.`,
    allowedMethods: allowed,
  })
}

/** Whether a path lies in the folder of a route's, however deep. */
function isBeside(pattern: string, path: string): boolean {
  return `${path}/`.startsWith(pattern.slice(0, pattern.lastIndexOf('/') + 1))
}
