// A database of a test file's own in the stack's Postgres, made by the same migrations: no listener empties its outbox.

import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { inject } from 'vitest'
import { runMigrations } from '../../../cli/migrations.ts'
import { startGateway } from '../../../sql-gateway/server.ts'
import { PlatformDatabase } from '../../../src/db/database.ts'
import { SqlWire } from '../../../src/db/sql-wire.ts'

/** One change as `quoin.changes_json` gives it; images are JSON texts. */
export interface Change {
  key: string | null
  old_key: string | null
  row: string | null
  old_row: string | null
  error: string | null
}

export interface Chunk {
  id: bigint
  table_id: number
  table_schema: string
  table_name: string
  event: string
  application_name: string
  keys: string[] | null
  old_keys: string[] | null
  change_count: number
  changes: Change[]
}

/** The database, and what tests do in it. Connections are the database's own and end with it. */
export class OutboxDatabase {
  readonly name: string
  readonly owner: Client
  readonly platform: PlatformDatabase
  readonly #gateway: Awaited<ReturnType<typeof startGateway>>
  readonly #clients: Client[] = []

  constructor(name: string, owner: Client, gateway: Awaited<ReturnType<typeof startGateway>>) {
    this.name = name
    this.owner = owner
    this.#gateway = gateway
    const wire = new SqlWire({ connectionString: urlOf(name, 'owner'), gatewayUrl: gateway.url })
    this.platform = new PlatformDatabase(wire)
  }

  async connect(who: 'owner' | 'anon' | 'service_role'): Promise<Client> {
    const client = await connectTo(urlOf(this.name, who === 'owner' ? 'owner' : 'authenticator'))
    this.#clients.push(client)
    if (who !== 'owner') await client.query(`set role ${who}`)
    return client
  }

  /** Makes a table from its columns and watches it for every event; answers its qualified name. */
  async watched(columns: string): Promise<string> {
    const table = `public.t_${randomBytes(5).toString('hex')}`
    await this.owner.query(`create table ${table} (${columns})`)
    await this.watch(table)
    return table
  }

  /** Gives the table one webhook for these events, or none, and applies them. */
  async watch(table: string, events: readonly string[] = ['INSERT', 'UPDATE', 'DELETE']): Promise<void> {
    await this.owner.query('delete from quoin.webhooks where table_id = $1::regclass', [table])
    if (events.length > 0) await this.addWebhook(table, events)
    await this.owner.query('select quoin.apply_watch($1::regclass)', [table])
  }

  /** Inserts a webhook for the table, without applying it. */
  async addWebhook(table: string, events: readonly string[]): Promise<string> {
    const { rows } = await this.owner.query(
      `insert into quoin.webhooks (name, table_schema, table_name, table_id, events, url)
       select 'test', n.nspname, c.relname, c.oid, $2, 'https://example.com'
       from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.oid = $1::regclass returning id`,
      [table, events],
    )
    return rows[0].id
  }

  /** The chunks of this table in the order of their ids. */
  async chunks(table: string | number): Promise<Chunk[]> {
    const { rows } = await this.owner.query(
      `select e.*, quoin.changes_json(e) as changes from quoin.row_events e where table_id = $1::regclass order by id`,
      [table],
    )
    return rows.map(row => ({ ...row, id: BigInt(row.id) }))
  }

  /** What the chunks of this table tell, one after the other, as `INSERT ["1"]`. */
  async events(table: string): Promise<string[]> {
    return (await this.changes(table)).map(({ event, key }) => `${event} ${key}`)
  }

  /** The changes of all chunks of this table, one after the other, with their events. */
  async changes(table: string): Promise<(Change & { event: string })[]> {
    const chunks = await this.chunks(table)
    return chunks.flatMap(({ event, changes }) => changes.map(change => ({ event, ...change })))
  }

  /** How many rows a table has. */
  async countOf(table: string | undefined): Promise<number> {
    return Number((await this.owner.query(`select count(*) from ${table}`)).rows[0].count)
  }

  /** The names of our triggers on the table, with `row` or `statement`. */
  async triggers(table: string): Promise<string[]> {
    const { rows } = await this.owner.query(
      `select split_part(tgname, '_', 2) || case when tgtype & 1 = 1 then ' row' else ' statement' end as name
       from pg_trigger where tgrelid = $1::regclass and tgname like '!quoin%' order by 1`,
      [table],
    )
    return rows.map(({ name }) => name)
  }

  async asSuperuser(sql: string): Promise<void> {
    const url = new URL(inject('stack').superuser_url ?? '')
    url.pathname = `/${this.name}`
    await withClient(url.href, client => client.query(sql))
  }

  async end(): Promise<void> {
    for (const client of [this.owner, ...this.#clients]) await client.end()
    await this.#gateway.close()
    // Without FORCE, which only a superuser may use while autovacuum is at work: this waits for it, as for our own
    // connections to end.
    await asMaker(client => client.query(`drop database ${this.name}`))
  }
}

export async function openOutboxDatabase(): Promise<OutboxDatabase> {
  const name = `outbox_${randomBytes(6).toString('hex')}`
  await asMaker(client => client.query(`create database ${name}`))
  await runMigrations(urlOf(name, 'owner'), 'up', ['platform'], () => {})
  const gateway = await startGateway({ databaseUrls: [urlOf(name, 'owner')] })
  return new OutboxDatabase(name, await connectTo(urlOf(name, 'owner')), gateway)
}

function urlOf(database: string, who: 'owner' | 'authenticator'): string {
  const { database_url, data_database_url } = inject('stack')
  const url = new URL(who === 'owner' ? database_url : data_database_url)
  url.pathname = `/${database}`
  return url.href
}

async function connectTo(connectionString: string): Promise<Client> {
  const client = new Client({ connectionString })
  client.on('error', () => {
    // A connection that breaks fails the query under way: the test sees it there.
  })
  await client.connect()
  return client
}

function asMaker(work: (client: Client) => Promise<unknown>): Promise<void> {
  return withClient(inject('stack').database_url, work)
}

async function withClient(url: string, work: (client: Client) => Promise<unknown>): Promise<void> {
  const client = await connectTo(url)
  try {
    await work(client)
  } finally {
    await client.end()
  }
}
