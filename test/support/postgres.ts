// Direct connections to the stack's Postgres, for arranging and for looking behind the API, and databases beside its
// own. One per test or suite, closed or dropped by whoever opened it (`await using`).

import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { inject } from 'vitest'

export type TestClient = Client & AsyncDisposable

/** As the owner: Quoin's tables, migrations, users' tables. */
export function connectOwner(): Promise<TestClient> {
  return connectTo(inject('stack').database_url)
}

export interface OwnDatabase {
  readonly url: string
  /** Also ends who is still connected. */
  drop(): Promise<void>
}

/** A fresh, empty database beside the stack's, as the superuser; needs a stack that runs a Postgres of its own. */
export async function makeDatabase(prefix: string): Promise<OwnDatabase> {
  const { superuser_url: superuserUrl } = inject('stack')
  if (superuserUrl === null) throw new Error('the stack has no Postgres of its own to make a database in')
  const name = `${prefix}_${randomUUID().replaceAll('-', '')}`
  const run = async (sql: string) => {
    await using client = await connectTo(superuserUrl)
    await client.query(sql)
  }
  await run(`create database ${name}`)
  const url = new URL(superuserUrl)
  url.pathname = `/${name}`
  return { url: url.href, drop: () => run(`drop database ${name} with (force)`) }
}

async function connectTo(connectionString: string): Promise<TestClient> {
  const client = new Client({ connectionString, connectionTimeoutMillis: 10_000 })
  client.on('error', () => {
    // A connection that breaks fails the query under way: the test sees it there.
  })
  await client.connect()
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() })
}
