// An OAuth2 server (or identity provider) that gives set answers, and the answers that no server should give. Also a
// database that only remembers what it was asked.

import type { Upstream, UpstreamAnswer } from '../../../src/clients/http.ts'
import type { Caller } from '../../../src/features/audit/caller.ts'

export const CALLER: Caller = {
  actor: { kind: 'session', id: 'i1', name: 'ada@example.com' },
  action: 'things.change',
  requestId: 'r1',
  address: null,
}

/** The server's words for what is not there. */
export const NOT_FOUND = { error: 'Not Found', error_description: 'Unable to locate the requested resource' }
export const HTML = '<html><body>404</body></html>'

/** An answer as `callUpstream` gives it to a `processX`. */
export function answer(
  status: number,
  body: unknown = '',
  headers: Record<string, string> = {},
): UpstreamAnswer {
  const isText = typeof body === 'string'
  return {
    status,
    headers: new Headers(headers),
    text: isText ? body : JSON.stringify(body),
    json: isText ? undefined : body,
  }
}

/** Answers that are about the deployment, never about the caller, with the code that each becomes. */
export const ODD_ANSWERS: [string, UpstreamAnswer, string][] = [
  ['a page in place of JSON', answer(200, HTML), 'upstream_invalid_answer'],
  ['JSON of another form', answer(200, { hello: 1 }), 'upstream_invalid_answer'],
  ["a web server's 404", answer(404, HTML), 'upstream_invalid_answer'],
  ['the 404 of an unknown path', answer(404, '404 page not found\n'), 'upstream_invalid_answer'],
  ['a redirect', answer(302, ''), 'upstream_invalid_answer'],
  ["a gateway's 401", answer(401, { message: 'no token' }), 'upstream_misconfigured'],
  ["a gateway's 403", answer(403, HTML), 'upstream_misconfigured'],
  ['its 500', answer(500, { error: 'error', error_description: '' }), 'upstream_unavailable'],
  ["a gateway's 503", answer(503, HTML), 'upstream_unavailable'],
]

export interface Call {
  method: string
  /** With its query. */
  path: string
  body: string
  headers: Headers
}
type Reply = [status: number, body?: unknown, headers?: Record<string, string>]

/** A server that replies by the call; a thrown error cuts the connection. */
export function fakeServer(reply: (call: Call) => Reply, name: Upstream['name'] = 'oauth_server') {
  const calls: Call[] = []
  const server: Upstream = {
    name,
    baseUrl: 'http://server.example',
    variable: 'OAUTH_ADMIN_URL',
    fetch: async (input, init) => {
      const url = new URL(String(input))
      const call = {
        method: init?.method ?? '',
        path: `${url.pathname}${url.search}`,
        body: typeof init?.body === 'string' ? init.body : '',
        headers: new Headers(init?.headers),
      }
      calls.push(call)
      const [status, body, headers = {}] = reply(call)
      const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body)
      return new Response(text ?? null, { status, headers })
    },
  }
  const log = () => calls.map(({ method, path }) => `${method} ${path}`)
  return { server, calls, log }
}

export const NO_SERVER: Upstream = fakeServer(() => {
  throw new Error('no call was expected')
}).server

/** Quoin's own database: takes everything, answers what `rowsOf` says, and remembers statements with their values. */
export function fakePlatform(rowsOf: (sql: string) => unknown[] = () => []) {
  const statements: { sql: string; params: readonly (string | null)[] }[] = []
  const platform = {
    query: async <Row>(sql: string, params: readonly (string | null)[] = []): Promise<Row[]> => {
      statements.push({ sql, params })
      if (sql.includes('insert into quoin.audit_logs')) return [{ id: 'a1' }] as Row[]
      return rowsOf(sql) as Row[]
    },
  }
  /** What the audit log was told: action, target, outcome, error code, state after. */
  const audit = () => ({
    begun: statements
      .filter(({ sql }) => sql.includes('insert into quoin.audit_logs'))
      .map(({ params }) => ({ action: params[5], target: params[7], before: parse(params[8]) })),
    ended: statements
      .filter(({ sql }) => sql.includes('update quoin.audit_logs'))
      .map(({ params }) => ({ outcome: params[1], code: params[2], after: parse(params[4]) })),
  })
  return { platform, statements, audit }
}

function parse(json: string | null | undefined): unknown {
  return json === null || json === undefined ? null : JSON.parse(json)
}
