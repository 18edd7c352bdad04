// Direct connections to the stack's Postgres, for arranging and for looking behind the API. One per test or suite,
// closed by whoever opened it (`await using`).

import { Client } from 'pg'
import { inject } from 'vitest'

export type TestClient = Client & AsyncDisposable

/** As the owner: Quoin's tables, migrations, users' tables. */
export function connectOwner(): Promise<TestClient> {
  return connectTo(inject('stack').database_url)
}

async function connectTo(connectionString: string): Promise<TestClient> {
  const client = new Client({ connectionString, connectionTimeoutMillis: 10_000 })
  client.on('error', () => {
    // A connection that breaks fails the query under way: the test sees it there.
  })
  await client.connect()
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() })
}
