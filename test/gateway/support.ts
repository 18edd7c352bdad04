/**
 * Owns what the gateway's tests share: a real Postgres of their own on a free port, a gateway in front of it, and
 * plain HTTP calls of its wire. Its Unix socket asks for no password, as those of many servers do.
 */
import { randomBytes } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { neonConfig } from '@neondatabase/serverless'
import pg from 'pg'
import { Children } from '../../local/children.ts'
import { localDatabaseUrls } from '../../local/database.ts'
import { freePort, LOOPBACK } from '../../local/ports.ts'
import { startPostgres as startLocalPostgres } from '../../local/postgres.ts'
import { locatePostgres, removeSocketFolder } from '../../local/postgres-files.ts'
import { loadSecrets } from '../../local/secrets.ts'
import { type Gateway, type GatewayOptions, startGateway } from '../../sql-gateway/server.ts'
import { makeWithCluster } from '../support/cluster.ts'
import { makeStackFolder } from '../support/stack.ts'

export interface TestPostgres {
  /** A superuser's session, for looking from outside at what the gateway does. */
  readonly admin: pg.Client
  readonly socketDir: string
  /** Connection string over TCP; the password of every role is its name in capitals. */
  url(user?: string): string
  stop(): Promise<void>
  start(): Promise<void>
  remove(): Promise<void>
}

const HBA = `
local all all trust
host all md5_user 127.0.0.1/32 md5
host all cleartext_user 127.0.0.1/32 password
host all all 127.0.0.1/32 scram-sha-256
`
const ROLES = `
alter role postgres password 'POSTGRES';
create role app login password 'APP';
create role other login password 'OTHER';
create role cleartext_user login password 'CLEARTEXT_USER';
set password_encryption = 'md5';
create role md5_user login password 'MD5_USER';
create database app owner app;
`

export async function startPostgres(): Promise<TestPostgres> {
  const folder = makeStackFolder()
  const dataDir = join(folder, 'stack')
  await makeWithCluster(dataDir)
  mkdirSync(join(dataDir, 'logs'))
  const files = locatePostgres(dataDir)
  writeFileSync(join(files.dataDir, 'pg_hba.conf'), HBA)
  const port = await freePort()
  const server = new Children(dataDir, new AbortController())
  const { superuserUrl } = localDatabaseUrls(loadSecrets(dataDir), port)
  await startLocalPostgres(server, files, port, superuserUrl)
  const setup = await connect(superuserUrl)
  for (const statement of ROLES.split(';\n')) await setup.query(statement)
  await setup.end()
  const url = (user = 'app'): string =>
    `postgresql://${user}:${user.toUpperCase()}@${LOOPBACK}:${port}/${user === 'postgres' ? 'postgres' : 'app'}`
  const postgres = {
    admin: await connect(url('postgres')),
    socketDir: files.socketDir,
    url,
    stop: () => server.endAll(),
    start: async () => {
      await startLocalPostgres(server, files, port, url('postgres'))
      postgres.admin = await connect(url('postgres'))
    },
    remove: async () => {
      await postgres.admin.end().catch(() => undefined)
      await server.endAll()
      removeSocketFolder(dataDir)
      rmSync(folder, { recursive: true, force: true })
    },
  }
  return postgres
}

async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString })
  // A server that is stopped on purpose breaks this session too.
  client.on('error', () => undefined)
  await client.connect()
  return client
}

/** A gateway for the role `app` over the Unix socket, and the driver pointed at it. */
export async function startTestGateway(
  postgres: TestPostgres,
  options: Partial<GatewayOptions> = {},
): Promise<Gateway> {
  const gateway = await startGateway({
    databaseUrls: [postgres.url()],
    socketDir: postgres.socketDir,
    ...options,
  })
  pointDriverAt(gateway)
  return gateway
}

export function pointDriverAt(gateway: Gateway): void {
  neonConfig.fetchEndpoint = () => `${gateway.url}/sql`
  neonConfig.wsProxy = () => `127.0.0.1:${gateway.port}/v2`
  neonConfig.useSecureWebSocket = false
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of many shapes.
  readonly json: any
}

export interface PostOptions {
  headers?: Record<string, string>
  signal?: AbortSignal
  connectionString?: string
}

/** Makes a caller of `POST /sql` that speaks the wire without the driver. */
export function makePost(gateway: Gateway, connectionString: string) {
  return async (body: unknown, { headers, signal, ...more }: PostOptions = {}): Promise<Answer> => {
    const response = await fetch(`${gateway.url}/sql`, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: {
        'Neon-Connection-String': more.connectionString ?? connectionString,
        'Neon-Raw-Text-Output': 'true',
        'Neon-Array-Mode': 'true',
        ...headers,
      },
      ...(signal === undefined ? {} : { signal }),
    })
    const text = await response.text()
    const isJson = /^[{[]/.test(text)
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson ? JSON.parse(text) : undefined,
    }
  }
}

/** A statement of the wire. */
export function q(query: string, params: unknown[] = []): { query: string; params: unknown[] } {
  return { query, params }
}

/** Text that no other statement has, to find one in `pg_stat_activity`. */
export function mark(): string {
  return `m${randomBytes(8).toString('hex')}`
}

/**
 * How long a statement may still run that the gateway has to end: before client_connection_check_interval (10 s), the
 * second line, could have done it.
 */
export const BY_THE_GATEWAY = { timeout: 8_000 }

/** How many sessions run a statement that holds this text. */
export async function countRunning(postgres: TestPostgres, text: string): Promise<number> {
  const { rows } = await postgres.admin.query(
    `select count(*)::int as running from pg_stat_activity
     where state <> 'idle' and query like $1 and pid <> pg_backend_pid()`,
    [`%${text}%`],
  )
  return rows[0].running
}
