// Neon's SQL over HTTP in front of a Postgres of ours: as its proxy does it, from the request to the connection that it
// keeps for the next one (neondatabase/neon, proxy/src/serverless: sql_over_http.rs, conn_pool_lib.rs; and
// `reset_session_background` of libs/proxy/tokio-postgres2/src/client.rs).

import { Client, DatabaseError, type QueryArrayResult } from 'pg'
import { type PostgresFields, postgresSaid, proxySaid } from './neon-answers.ts'

export interface NeonProxy extends AsyncDisposable {
  /** The connection string that reaches the same database, as the same role, by way of the proxy. */
  urlOf(databaseUrl: string): string
  /** Whether a request of the Worker is for the proxy. */
  isFor(request: Request): boolean
  answer(request: Request): Promise<Response>
  /** Where the connection to Postgres breaks, once, of the connection strings with this user. */
  breakage: { user: string; at: Place } | undefined
  /** What it answers to everything, of those with this user. */
  refusal: { user: string; answer: () => Response } | undefined
  responseBytesMax: number
}

const DOMAIN = '.eu-1.aws.neon.test'
const DIRECT_HOST = `ep-quiet-bird-1${DOMAIN}`

const RESET = `ROLLBACK; CLOSE ALL; SET SESSION AUTHORIZATION DEFAULT; RESET ALL; DEALLOCATE ALL; UNLISTEN *;
  SELECT pg_advisory_unlock_all(); DISCARD TEMP; DISCARD SEQUENCES;`

interface Batch {
  queries: { query: string; params?: (string | null)[]; arrayMode?: boolean }[]
}

/** What `postgres_client::Error` says of a connection that is gone. */
class Broken extends Error {}

/** A proxy in front of the Postgres that the connection string reaches. */
export function makeNeonProxy(databaseUrl: string): NeonProxy {
  const { host } = new URL(databaseUrl)
  /** Connections that wait for the next request, by what they log in with. */
  const idle = new Map<string, Client[]>()

  async function connect(url: string): Promise<Client> {
    const waiting = idle.get(url)?.pop()
    if (waiting) return waiting
    const client = new Client({
      connectionString: url,
      types: { getTypeParser: () => (text: unknown) => text },
    })
    client.on('error', () => {
      // The query under way fails by it.
    })
    await client.connect()
    return client
  }

  /** It resets in the background: the next request on the connection comes behind it. */
  function giveBack(url: string, client: Client): void {
    client.query(RESET).catch(() => undefined)
    idle.set(url, [...(idle.get(url) ?? []), client])
  }

  const proxy: NeonProxy = {
    breakage: undefined,
    refusal: undefined,
    responseBytesMax: 10 * 1024 * 1024,
    urlOf(databaseUrl) {
      const url = new URL(databaseUrl)
      url.host = DIRECT_HOST
      url.port = ''
      return url.href
    },
    isFor: ({ url }) => url === `https://api${DOMAIN}/sql`,
    async answer(request) {
      const url = new URL(request.headers.get('neon-connection-string') ?? '')
      if (proxy.refusal?.user === url.username) return proxy.refusal.answer()
      if (url.hostname !== DIRECT_HOST)
        return proxySaid('Control plane request failed: endpoint cannot be found')
      url.host = host
      let client: Client
      try {
        client = await connect(url.href)
      } catch (err) {
        return notConnected(err, url.username)
      }
      try {
        const text = await run(
          client,
          (await request.json()) as Batch | Batch['queries'][0],
          request.headers,
          proxy,
        )
        giveBack(url.href, client)
        return new Response(text, { headers: { 'content-type': 'application/json' } })
      } catch (err) {
        if (err instanceof Broken) return proxySaid('connection closed')
        if (!(err instanceof DatabaseError) && !(err instanceof Response)) throw err
        await client.query('ROLLBACK').catch(() => undefined)
        if (err instanceof Response) {
          giveBack(url.href, client)
          return err
        }
        if (err.severity === 'ERROR') giveBack(url.href, client)
        return postgresSaid({ ...err, message: err.message } as unknown as PostgresFields)
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...idle.values()].flat().map(client => client.end()))
    },
  }
  return proxy
}

/** The proxy looks at the password itself, and says of the other failures what Postgres did. */
function notConnected(err: unknown, user: string): Response {
  if (!(err instanceof DatabaseError)) return proxySaid("Couldn't connect to compute node", 500)
  if (err.code === '28P01') return proxySaid(`password authentication failed for user '${user}'`)
  const fields = { ...err, message: err.message } as unknown as PostgresFields
  return postgresSaid(fields, err.code === '3D000' ? 400 : 500)
}

async function run(
  client: Client,
  payload: Batch | Batch['queries'][0],
  headers: Headers,
  proxy: NeonProxy,
): Promise<string> {
  const isArray = headers.get('neon-array-mode') === 'true'
  if (!('queries' in payload)) return JSON.stringify(await runOne(client, payload, isArray, proxy))
  const isolation = headers.get('neon-batch-isolation-level')
  const level = isolation ? ` ISOLATION LEVEL ${isolation.replace(/(?<=[a-z])(?=[A-Z])/g, ' ')}` : ''
  const mode = headers.get('neon-batch-read-only') === 'true' ? ' READ ONLY' : ''
  await client.query(`START TRANSACTION${level}${mode}`)
  const results: object[] = []
  for (const query of payload.queries) results.push(await runOne(client, query, isArray, proxy))
  await breakIf('before COMMIT', client, proxy)
  await client.query('COMMIT')
  await breakIf('behind COMMIT', client, proxy)
  return JSON.stringify({ results })
}

type Place = 'before COMMIT' | 'behind COMMIT'

async function breakIf(place: Place, client: Client, proxy: NeonProxy): Promise<void> {
  if (proxy.breakage?.at !== place || proxy.breakage.user !== client.user) return
  proxy.breakage = undefined
  await client.end()
  throw new Broken()
}

async function runOne(
  client: Client,
  { query, params = [], arrayMode }: Batch['queries'][0],
  isArray: boolean,
  proxy: NeonProxy,
): Promise<object> {
  const rowAsArray = arrayMode ?? isArray
  // Without parameters too in the extended protocol, as the proxy does.
  const config = { text: query, values: params, rowMode: 'array', queryMode: 'extended' }
  const { command, rowCount, fields, rows }: QueryArrayResult = await client.query(config as never)
  if (JSON.stringify(rows).length > proxy.responseBytesMax)
    throw proxySaid(`response is too large (max is ${proxy.responseBytesMax} bytes)`, 507)
  return {
    fields: fields.map(({ name, dataTypeID }) => ({ name, dataTypeID })),
    rows: rowAsArray
      ? rows
      : rows.map(row => Object.fromEntries(fields.map(({ name }, i) => [name, row[i]]))),
    command,
    rowCount,
    rowAsArray,
  }
}
