// A database of the test's own with Quoin in it, behind a gateway: as the owner, and as callers.

import { Client } from 'pg'
import { inject } from 'vitest'
import { startGateway } from '../../../sql-gateway/server.ts'
import { type DatabaseRole, DataDatabase, PlatformDatabase } from '../../../src/db/database.ts'
import { SqlWire } from '../../../src/db/sql-wire.ts'
import { askSight } from '../../../src/features/realtime/sight/ask-sight.ts'
import type { Seen, SightAnswer, SightAsked } from '../../../src/features/realtime/sight/sight-contract.ts'
import { migrationDatabase } from '../../support/migrations.ts'

export type RealtimeDatabase = Awaited<ReturnType<typeof realtimeDatabase>>

export interface Caller {
  readonly role: DatabaseRole
  readonly claims: Readonly<Record<string, unknown>>
}

export async function realtimeDatabase() {
  const database = await migrationDatabase()
  const dataUrl = new URL(inject('stack').data_database_url)
  dataUrl.pathname = new URL(database.url).pathname
  const gateway = await startGateway({ databaseUrls: [database.url, dataUrl.href] })
  const wireTo = (connectionString: string) => new SqlWire({ connectionString, gatewayUrl: gateway.url })
  const deps = {
    platform: new PlatformDatabase(wireTo(database.url)),
    data: new DataDatabase(wireTo(dataUrl.href), { wipesPlans: true }),
    config: { dbSchemas: ['public'], dbExtraSearchPath: [] as string[] },
  }
  const run = async <Row extends object>(sql: string, params: unknown[] = []): Promise<Row[]> =>
    (await database.owner.query<Row>(sql, params)).rows

  const idOf = async (table: string): Promise<number> =>
    Number((await run<{ id: string }>('select $1::regclass::oid as id', [table]))[0]?.id)

  /** The rows as triggers record them, in the order of their ids. */
  async function imagesOf(table: string): Promise<string[]> {
    const columns = await run<{ name: string }>(
      `select quote_ident(attname) as name from pg_attribute
       where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated <> 'v' order by attnum`,
      [table],
    )
    const list = columns.map(({ name }) => name).join(', ')
    const rows = await run<{ image: string }>(
      `select row_to_json(row_of)::text as image from (select ${list} from ${table} order by id) row_of`,
    )
    return rows.map(({ image }) => image)
  }

  async function asCaller<Row extends object>({ role, claims }: Caller, sql: string): Promise<Row[]> {
    const client = new Client({ connectionString: dataUrl.href })
    await client.connect()
    try {
      await client.query('begin')
      await client.query(
        "select set_config('role', $1, true), set_config('request.jwt.claims', $2, true), " +
          "set_config('search_path', 'public', true)",
        [role, JSON.stringify({ ...claims, role })],
      )
      return (await client.query<Row>(sql)).rows
    } finally {
      await client.end()
    }
  }

  const ask = (tableId: number, images: readonly string[], asked: readonly SightAsked[]) =>
    askSight(deps, { tables: [{ tableId, images }], asked }, { timeoutMs: 10_000, share: 'test/sight' })

  const classOf = (tableId: number, { role, claims }: Caller): SightAsked => ({
    tableId,
    role,
    claims: JSON.stringify({ ...claims, role }),
    filter: null,
  })

  return {
    deps,
    run,
    asCaller,
    idOf,
    imagesOf,
    /** What these callers see of all rows of the table by their images. */
    async sight(table: string, callers: readonly Caller[]): Promise<SightAnswer> {
      const tableId = await idOf(table)
      const classes = callers.map(caller => classOf(tableId, caller))
      return ask(tableId, await imagesOf(table), classes)
    },
    /** Ids of the rows that the answer names; `all` of them become their ids too. */
    async idsSeen(table: string, seen: Seen | undefined): Promise<number[] | Seen | undefined> {
      const ids = (await imagesOf(table)).map(image => Number(JSON.parse(image).id))
      if (seen === 'all') return ids
      return Array.isArray(seen) ? seen.map((index: number) => ids[index] ?? -1) : seen
    },
    async [Symbol.asyncDispose]() {
      await gateway.close()
      await database[Symbol.asyncDispose]()
    },
  }
}
