// Turns the route table into a Hono app: credential check, validation, handler, headers, errors, in that order.
// Knows no feature; what a route does stands in `src/routes`.

import { type Context, Hono } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type * as z from 'zod'
import type { Deps } from '../deps.ts'
import { DomainError } from '../errors.ts'
import type { RateLimitState } from '../features/rate-limit/admission.ts'
import { admit, setRateLimitHeaders } from './admission.ts'
import type { ApiKeyPrincipal } from './auth.ts'
import { BODY_BYTES_MAX, parseJson, readText } from './body.ts'
import { allowAnyOrigin, preflightResponse } from './cors.ts'
import { errorResponse } from './error-response.ts'
import type { AnyRoute } from './route.ts'
import { RequestTimings } from './timings.ts'
import { parseInput } from './validation.ts'

/** Gives the composed dependencies of one request; its database reports each trip to `timings`. */
export type DepsForRequest = (env: object, timings: RequestTimings) => Deps

/** What one request gathers on its way, so that headers and errors know it whatever fails. */
interface Exchange {
  requestId: string
  request: Request
  path: string
  params: Record<string, string>
  timings: RequestTimings
  principal: ApiKeyPrincipal | null
  rateLimit: RateLimitState | undefined
}

/** Registers every route; an unknown path is `not_found`, a known one with another method `method_not_allowed`. */
export function createApp(routes: readonly AnyRoute[], depsForRequest: DepsForRequest): Hono {
  const app = new Hono()
  app.options('/v1/*', c => preflightResponse(c.req.raw))
  for (const route of routes) {
    app.on(route.method.toUpperCase(), route.path, c =>
      serve(route, depsForRequest, c.env as object, newExchange(c, c.req.param())),
    )
  }
  for (const [path, methods] of methodsByPath(routes)) {
    app.all(path, c => {
      const response = finishError(newExchange(c, {}), methodNotAllowed(c.req.method, methods))
      response.headers.set('allow', methods.join(', '))
      return response
    })
  }
  app.notFound(c => finishError(newExchange(c, {}), pathNotFound(c.req.path)))
  app.onError((err, c) => finishError(newExchange(c, {}), err))
  return app
}

async function serve(
  route: AnyRoute,
  depsForRequest: DepsForRequest,
  env: object,
  exchange: Exchange,
): Promise<Response> {
  try {
    const deps = depsForRequest(env, exchange.timings)
    await authenticate(route, deps, exchange)
    return finish(exchange, await runHandler(route, deps, exchange))
  } catch (err) {
    return finishError(exchange, err)
  }
}

async function authenticate(route: AnyRoute, deps: Deps, exchange: Exchange): Promise<void> {
  if (route.auth === 'none') return
  if (route.auth !== 'any_key' && route.auth !== 'service_role') {
    throw new Error(`no route may ask for "${route.auth}" yet: its credential check is not built`)
  }
  const startedAt = performance.now()
  exchange.principal = await admit(deps, exchange.request.headers, state => {
    exchange.rateLimit = state
  })
  exchange.timings.add('admission', performance.now() - startedAt)
  if (route.auth === 'service_role' && exchange.principal.key.role !== 'service_role') {
    throw new DomainError(
      'insufficient_role',
      'This endpoint needs a service_role key; the key sent is an anon key.',
      {
        hint: 'Call it from a server with a key that begins with svc_sk_.',
      },
    )
  }
}

async function runHandler(route: AnyRoute, deps: Deps, exchange: Exchange): Promise<Response> {
  const { request } = exchange
  const readBodyText = () => readText(request, route.bodyBytesMax ?? BODY_BYTES_MAX)
  const result = await route.handle({
    deps,
    principal: exchange.principal as never,
    params: exchange.params,
    query: route.query && parseInput(route.query, queryObject(request.url), 'query'),
    body: route.body && (await readBody(route.body, request, readBodyText)),
    requestId: exchange.requestId,
    request,
    readBodyText,
  })
  if (result instanceof Response) return result
  if (route.status === 204) return new Response(null, { status: 204 })
  return Response.json(result, { status: (route.status ?? 200) as ContentfulStatusCode })
}

async function readBody(
  schema: z.ZodType,
  request: Request,
  readBodyText: () => Promise<string>,
): Promise<unknown> {
  const json = parseJson(await readBodyText(), request.headers.get('content-type'))
  return parseInput(schema, json, 'body')
}

function queryObject(url: string): Record<string, string> {
  return Object.fromEntries(new URL(url).searchParams)
}

function newExchange(c: Context, params: Record<string, string>): Exchange {
  return {
    requestId: crypto.randomUUID(),
    request: c.req.raw,
    path: c.req.path,
    params,
    timings: new RequestTimings(),
    principal: null,
    rateLimit: undefined,
  }
}

function finishError(exchange: Exchange, err: unknown): Response {
  const isAnonymous = exchange.principal?.key.role !== 'service_role' && !exchange.principal?.endUser
  return finish(exchange, errorResponse(err, { requestId: exchange.requestId, isAnonymous }))
}

/** Every answer carries the request id and the times; under /v1 the limit's state and the cross-origin headers too. */
function finish(exchange: Exchange, response: Response): Response {
  const { headers } = response
  headers.set('x-request-id', exchange.requestId)
  headers.set('server-timing', exchange.timings.header())
  if (!headers.has('cache-control')) headers.set('cache-control', 'no-store')
  headers.set('x-content-type-options', 'nosniff')
  if (exchange.rateLimit) setRateLimitHeaders(headers, exchange.rateLimit)
  if (exchange.path.startsWith('/v1/')) allowAnyOrigin(headers)
  return response
}

function methodsByPath(routes: readonly AnyRoute[]): Map<string, string[]> {
  const methods = new Map<string, string[]>()
  for (const { path, method } of routes)
    methods.set(path, [...(methods.get(path) ?? []), method.toUpperCase()])
  return methods
}

function methodNotAllowed(method: string, allowed: string[]): DomainError {
  return new DomainError('method_not_allowed', `${method} is not served here.`, {
    hint: `Use ${allowed.join(', ')}.`,
  })
}

function pathNotFound(path: string): DomainError {
  return new DomainError('not_found', `Nothing is served at ${path.slice(0, 200)}.`, {
    hint: 'Every endpoint is listed at /docs.',
  })
}
