// Connections of the owner and of the local superuser, as plain `pg` clients: for the local stack, the scripts and the
// tests. Nothing that a caller created in `public` may be found by what runs here unless it is asked for by its schema.

import { Client } from 'pg'

const CONNECT_TIMEOUT_MS = 10_000
const STATEMENT_TIMEOUT_MS = 60_000

/** Runs `work` on a connection of its own whose search path holds nothing but pg_catalog; names need their schema. */
export async function withOwner<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    application_name: 'quoin:local',
  })
  client.on('error', () => {
    // A connection that breaks fails the query under way, or the next one: that is where it is reported.
  })
  await client.connect()
  try {
    await client.query("select pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', false)")
    return await work(client)
  } finally {
    await client.end()
  }
}
