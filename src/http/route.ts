// One declaration per endpoint, with a mount for each credential that may call it. From it come the Hono registration,
// the credential check, validation and the types of the handler's input. From it also come the OpenAPI document, /docs,
// the audit log's words and the tests of the route table.

import type * as z from 'zod'
import type { Config } from '../config.ts'
import type { Deps } from '../deps.ts'
import type { Caller } from '../features/audit/caller.ts'
import type { Brand } from '../features/oauth/bridge/pages/frame.ts'
import type { AuthLevel, Principal } from './admission/principal.ts'
import { BODY_BYTES_MAX } from './body.ts'
import type { ErrorBody } from './error-response.ts'

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete' | 'options'

/** Where a route is served, and who may call it there: `{ '/v1/keys': 'service_role', '/api/keys': 'admin' }`. */
export type Mounts = Readonly<Record<string, AuthLevel>>
type PathOf<M extends Mounts> = Extract<keyof M, string>

/**
 * The names after the colons of a path: `'/v1/keys/:id'` gives `{ id: string }`. A last `:name{.+}` is all that is left
 * of the path, decoded once and with the slashes that were sent.
 */
export type PathParams<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? { [K in Name]: string } & PathParams<`/${Rest}`>
  : Path extends `${string}:${infer Name}{.+}`
    ? { [K in Name]: string }
    : Path extends `${string}:${infer Name}`
      ? { [K in Name]: string }
      : unknown

/** One schema for each name in the path. */
type ParamSchemas<Path extends string> = string extends Path
  ? Readonly<Record<string, z.ZodType>>
  : { readonly [Name in keyof PathParams<Path>]: z.ZodType }

type Output<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined

/** What a handler gets. `query` and `body` are parsed by the route's schemas and undefined where it has none. */
export interface HandlerInput<M extends Mounts, Query, Body> {
  deps: Deps
  /** Of several mounts, that of the one that was called: `kind` tells them apart. */
  principal: Principal<M[keyof M]>
  params: PathParams<PathOf<M>>
  query: Output<Query>
  body: Output<Body>
  /** The JSON text that `body` was read out of, in which numbers have all their digits; empty without one. */
  bodyText: string
  /** Who does what and from where, for the audit log. */
  caller: Caller
  request: Request
  path: string
  /** The raw query string with its question mark; empty without one. */
  search: string
  /** The raw body, at most `bodyBytesMax` bytes of valid UTF-8; for routes without a `body` schema. */
  readBodyBytes: () => Promise<Uint8Array>
  /** The same as it came, for what need not be text. */
  readRawBytes: () => Promise<Uint8Array>
  /**
   * The same as it comes, where the route says `streamsBody`: nothing is read before it is asked for. It fails with
   * `object_too_large` beyond `bodyBytesMax` bytes, and with `invalid_body` where the client hangs up.
   */
  bodyStream: ReadableStream<Uint8Array> | null
  /** Every endpoint of the service, this one among them. */
  endpoints: readonly Endpoint[]
}

/**
 * What a route without a `response` schema answers: the makings of a `Response`. The app builds it once with all
 * headers, because each header that is set later crosses into the runtime by itself.
 */
export interface RawAnswer {
  status: number
  /** Lower-case names. */
  headers: Readonly<Record<string, string>>
  body: BodyInit | null
  /** Values of Set-Cookie, the one header that may come several times. */
  cookies?: readonly string[]
}

export interface Documented {
  parameters?: DocumentedParameter[]
  /** Shapes of a body that the route reads itself; the first media type is the one of `example`. */
  request?: Content
  /** The answers by status, where there is more to say than the one good answer. */
  answers?: Readonly<Record<number, DocumentedAnswer>>
}

/** Shapes by media type, each with its example as `.meta({ examples })`. */
export type Content = Readonly<Record<string, z.ZodType>>

export interface DocumentedAnswer {
  description: string
  /** Left out for an answer without a body. */
  content?: Content
}

/** A JSON answer that was written elsewhere: passed on as it is, because parsing it would round large numbers. */
export function jsonText(text: string): Response {
  return new Response(text, { headers: { 'content-type': 'application/json' } })
}

/** JSON for a client that reads other shapes than ours: the route has no `response` schema. */
export function jsonAnswer(value: unknown, headers: Readonly<Record<string, string>> = {}): RawAnswer {
  return {
    status: 200,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(value),
  }
}

/** What an error page has to show. */
export interface ErrorPageInput {
  status: number
  error: ErrorBody
  brand: Brand
  request: Request
  /** What was thrown, for a page that knows more about its own errors than their JSON says. */
  cause: unknown
}

/** True for a browser that shows what it gets, false for a script: the first of the two media types decides. */
export function wantsPage(request: Request): boolean {
  const accept = request.headers.get('accept') ?? ''
  const [html, json] = [accept.indexOf('text/html'), accept.indexOf('application/json')]
  return html !== -1 && (json === -1 || html < json)
}

/** A parameter that OpenAPI should show for a route that reads its query string or headers itself. */
export interface DocumentedParameter {
  name: string
  in: 'query' | 'header'
  /** With a description; an object stands for parameters of any name. */
  schema: z.ZodType
  required?: boolean
}

export interface Route<
  M extends Mounts = Mounts,
  Query extends z.ZodObject | undefined = z.ZodObject | undefined,
  Body extends z.ZodType | undefined = z.ZodType | undefined,
  Answer extends z.ZodType | undefined = z.ZodType | undefined,
> {
  /** `<noun>.<verb>`: the name in logs, metrics, the audit log and the OpenAPI document. */
  id: string
  method: Method
  /** No level is a default on purpose: leaving it out is a type error. */
  mounts: M
  summary: string
  description?: string
  /** What the parameters of the path are, for the document: the feature says itself what is no id. */
  params?: ParamSchemas<PathOf<M>>
  query?: Query
  body?: Body
  /** A body that works, for the document and the page. */
  example?: unknown
  /** Largest request body in bytes; 1 MiB unless said, and of an anon key at most ANON_BODY_BYTES_MAX. */
  bodyBytesMax?: BodyBytesMax
  /** Most JSON values of a body with a schema; 50 000 unless said. */
  bodyValuesMax?: number | undefined
  /** True: the body goes to the handler as it comes, and is never held whole; so an anon key may send as much of it. */
  streamsBody?: boolean
  /**
   * Why a method that changes things leaves no row in the audit log: it changes nothing (`no_change`), a person signs
   * in or out (`sign_in`), or an API key writes what is its own (`key_data`: rows and SQL; a session's are audited).
   */
  unaudited?: 'no_change' | 'sign_in' | 'key_data'
  /** Shape of the JSON answer. Left out: the handler returns a `RawAnswer` or a `Response`. */
  response?: Answer
  /** Status of a good answer; 200 unless said. */
  status?: 200 | 201 | 202 | 204
  /** Under /v1: the API key may also come as the password of basic auth, for callers that can send nothing else. */
  takesBasicAuth?: boolean
  /** The API key may also come as the parameter `apikey`: for WebSockets, with which browsers send no header. */
  takesKeyInQuery?: boolean
  /** Under /api: what a call counts as against the limits of the client's address; `api` unless said. */
  countedAs?: 'api' | 'consent'
  /** For routes that people reach with a browser: the error as a page, in place of JSON. */
  errorPage?: (input: ErrorPageInput) => Promise<RawAnswer>
  /** For routes that read or answer in ways of their own: what the document should say. */
  documented?: Documented
  handle: (
    input: HandlerInput<M, Query, Body>,
  ) => Promise<Answer extends z.ZodType ? z.input<Answer> | Response : RawAnswer | Response>
}

/** Declares one endpoint; returns it as it is. Its whole use is the type inference. */
export function defineRoute<
  const M extends Mounts,
  Query extends z.ZodObject | undefined = undefined,
  Body extends z.ZodType | undefined = undefined,
  Answer extends z.ZodType | undefined = undefined,
>(route: Route<M, Query, Body, Answer>): AnyRoute {
  // The table forgets the types that the handler was checked against: `app.ts` calls it with what the same
  // object's schemas parsed, so the input has the declared shape.
  return route as unknown as AnyRoute
}

/** A route in the table. */
export type AnyRoute = Omit<Route, 'handle'> & { handle: (input: AnyHandlerInput) => Promise<unknown> }

// biome-ignore lint/suspicious/noExplicitAny: the table holds routes of every shape; `defineRoute` checked each one.
type AnyHandlerInput = HandlerInput<Mounts, any, any>

/** A number of bytes, or what a variable says. */
export type BodyBytesMax = number | ((config: Pick<Config, 'storageUploadMaxBytes'>) => number)

/** The number of bytes for the variables of this deployment. */
export function bodyBytesMaxOf({ bodyBytesMax }: Pick<Endpoint, 'bodyBytesMax'>, config: Config): number {
  return typeof bodyBytesMax === 'number' ? bodyBytesMax : bodyBytesMax(config)
}

/** A route at one of its mounts: what is registered, documented and tried with every credential. */
export interface Endpoint {
  readonly route: AnyRoute
  readonly path: string
  readonly level: AuthLevel
  /** Largest request body. */
  readonly bodyBytesMax: BodyBytesMax
}

/** Each mount of each route, in order. */
export function endpointsOf(routes: readonly AnyRoute[]): Endpoint[] {
  return routes.flatMap(route =>
    Object.entries(route.mounts).map(([path, level]) => {
      const { bodyBytesMax = BODY_BYTES_MAX } = route
      return { route, path, level, bodyBytesMax }
    }),
  )
}

/** As logs and messages name it: `GET /v1/keys/:id`. */
export function endpointName({ route, path }: Endpoint): string {
  return `${route.method.toUpperCase()} ${path}`
}
