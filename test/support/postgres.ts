// Direct connections to the stack's Postgres, for arranging and for looking behind the API. One per test or suite,
// closed by whoever opened it (`await using`).

import { Client } from 'pg'
import { inject } from 'vitest'

export type TestClient = Client & AsyncDisposable

/** As the owner: Quoin's tables, migrations, users' tables. */
export function connectOwner(): Promise<TestClient> {
  return connectTo(inject('stack').database_url)
}

/** As the login role that callers' data goes through, before it has chosen a role. */
export function connectAuthenticator(): Promise<TestClient> {
  return connectTo(inject('stack').data_database_url)
}

/** As `anon` or `service_role`, the way a caller's SQL is: the authenticator's connection with that role set. */
export async function connectAs(role: 'anon' | 'service_role', claims: object = {}): Promise<TestClient> {
  const client = await connectAuthenticator()
  await client.query("select set_config('role', $1, false), set_config('request.jwt.claims', $2, false)", [
    role,
    JSON.stringify({ ...claims, role }),
  ])
  return client
}

/** As the local superuser, in the stack's database: only for what nobody else can arrange. */
export function connectSuperuser(): Promise<TestClient> {
  const { superuser_url: url, database_url: databaseUrl } = inject('stack')
  if (url === null)
    throw new Error('the stack runs on a Postgres that is somewhere else: there is no superuser')
  const target = new URL(url)
  target.pathname = new URL(databaseUrl).pathname
  return connectTo(target.href)
}

async function connectTo(connectionString: string): Promise<TestClient> {
  const client = new Client({ connectionString, connectionTimeoutMillis: 10_000 })
  client.on('error', () => {
    // A connection that breaks fails the query under way: the test sees it there.
  })
  await client.connect()
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() })
}
