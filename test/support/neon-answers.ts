// What Neon's proxy answers over HTTP in place of results, field by field as its source writes it
// (neondatabase/neon, proxy/src/serverless: sql_over_http.rs, error.rs, backend.rs).

/** The fields of an error of Postgres, as the proxy reads them off the wire. */
export interface PostgresFields {
  message: string
  severity: string
  code: string
  detail?: string | undefined
  hint?: string | undefined
  position?: string | undefined
  routine?: string | undefined
  [other: string]: unknown
}

const FIELDS = [
  'detail',
  'hint',
  'position',
  'internalPosition',
  'internalQuery',
  'where',
  'table',
  'column',
  'schema',
  'dataType',
  'constraint',
  'file',
  'line',
  'routine',
] as const

function json(status: number, body: object): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } })
}

/** What Postgres said. 400 for statements and for a database that is not there, 500 where no connection came. */
export function postgresSaid(fields: PostgresFields, status: 400 | 500 = 400): Response {
  const { message, severity, code } = fields
  return json(status, {
    message,
    code,
    ...Object.fromEntries(FIELDS.map(name => [name, fields[name] ?? null])),
    severity,
  })
}

/** The proxy's own words. 400 for what it calls the user's fault and for a broken connection, 500 for no connection. */
export function proxySaid(message: string, status: 400 | 413 | 500 | 507 = 400): Response {
  return postgresSaid({ message, severity: '', code: '' }, status as 400)
}

/** A query that the proxy gave up itself: of all its own answers the one with a code, and without the other fields. */
export function queryCancelled(): Response {
  return json(400, { message: 'Query cancelled, connection was terminated', code: '08P01' })
}

/** `AuthError`, `ControlPlaneError` and `ConnInfoError`: refused before there was a connection. */
export const REFUSED_AT_THE_DOOR = [
  "password authentication failed for user 'authenticator'",
  'This IP address 203.0.113.7 is not allowed to connect to this endpoint. Please add it to the allowed list in the ' +
    'Neon console. Make sure to check for IPv4 or IPv6 addresses.',
  'This connection is trying to access this endpoint from a blocked network.',
  'Control plane request failed: endpoint cannot be found',
  'Control plane request failed: endpoint is disabled',
  'The endpoint has been disabled. Enable it using Neon API and retry.',
]

/** `HttpConnError` of other kinds. */
export const NO_CONNECTION = [
  'Control plane request failed',
  "Couldn't connect to compute node",
  'Too many connections to this endpoint. Please try again later.',
  'Failed to acquire permit to connect to the database. Too many database connection attempts are currently ongoing.',
  'Your account or project has exceeded the compute time quota. Upgrade your plan to increase limits.',
]

/** `postgres_client::Error` without words of Postgres: the connection broke, before COMMIT, in it or behind it. */
export const BROKEN = [
  'connection closed',
  'error communicating with the server: Connection reset by peer (os error 104)',
  'unexpected message from server',
]
