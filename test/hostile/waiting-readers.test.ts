/**
 * What readings that take long can do to others: they run over the owner's connections, by which every key is looked
 * up. On a database and a gateway of the test's own.
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Gateway, startGateway } from '../../sql-gateway/server.ts'
import { PlatformDatabase } from '../../src/db/database.ts'
import { SqlWire } from '../../src/db/sql-wire.ts'
import { listAuditLogs } from '../../src/features/audit/list-audit-logs.ts'
import { readBilling } from '../../src/features/billing/read-billing.ts'
import { readTable } from '../../src/features/catalog/read-table.ts'
import { listLogs } from '../../src/features/logs/list-logs.ts'
import { readMetrics } from '../../src/features/metrics/read-metrics.ts'
import { readEntryPage } from '../../src/features/webhooks/entry-page.ts'
import { DELIVERIES } from '../../src/features/webhooks/list-deliveries.ts'
import { type MigrationDatabase, migrationDatabase } from '../support/migrations.ts'

const READERS = 30

let database: MigrationDatabase
let gateway: Gateway
let deps: ReturnType<typeof depsOf>

const READINGS: [what: string, table: string, read: () => Promise<unknown>][] = [
  ['the structure of a table', 'public.held', () => readTable(deps, { schema: 'public', name: 'held' })],
  ['logs', 'quoin.webhook_deliveries', () => listLogs(deps, { source: 'delivery', limit: 1 })],
  [
    'deliveries',
    'quoin.webhook_deliveries',
    () => readEntryPage(deps.platform, DELIVERIES, crypto.randomUUID(), { limit: 1 }),
  ],
  ['the audit log', 'quoin.audit_logs', () => listAuditLogs(deps, { limit: 1 })],
  ['metrics', 'quoin.usage', () => readMetrics(deps, 'every_project', {})],
  ['billing', 'quoin.usage', () => readBilling(deps, 'every_project', {})],
]

beforeAll(async () => {
  database = await migrationDatabase()
  await database.owner.query('create table public.held (id int)')
  gateway = await startGateway({ databaseUrls: [database.url] })
  deps = depsOf(
    new PlatformDatabase(new SqlWire({ connectionString: database.url, gatewayUrl: gateway.url })),
  )
})

afterAll(async () => {
  await gateway.close()
  await database[Symbol.asyncDispose]()
})

// The attack: LOCK TABLE, or a filter that few of many rows pass, and the reading many times at once.
it.each(READINGS)('looks keys up while many wait for %s', async (_what, table, read) => {
  const { owner } = database
  await owner.query(`begin; lock table ${table}`)
  const readings = Array.from({ length: READERS }, () => read())
  const waiting = `select count(*)::int as n from pg_locks where not granted and relation = '${table}'::regclass`
  await expect.poll(async () => (await owner.query(waiting)).rows[0].n).toBeGreaterThanOrEqual(3)
  const isOver = await Promise.race([
    deps.platform.query('select id from quoin.api_keys').then(() => false),
    Promise.all(readings).then(() => true),
  ]).finally(() => owner.query('rollback'))
  expect(isOver).toBe(false)
  await Promise.all(readings)
})

it('tells whoever cannot wait with the others that it is not their own calls', async () => {
  const { owner, url } = database
  const crowded = await startGateway({ databaseUrls: [url], limits: { waitersMax: 3 } })
  const platform = new PlatformDatabase(new SqlWire({ connectionString: url, gatewayUrl: crowded.url }))
  await owner.query('begin; lock table public.held')
  const readings = Array.from({ length: READERS }, () =>
    readTable({ ...deps, platform }, { schema: 'public', name: 'held' }),
  )
  const refused = await Promise.any(
    readings.map(reading =>
      reading.then(
        () => Promise.reject(),
        err => err,
      ),
    ),
  ).finally(() => owner.query('rollback'))
  expect(refused).toMatchObject({
    code: 'too_many_calls',
    message: expect.stringContaining('Others read the same'),
  })
  await Promise.allSettled(readings)
  await crowded.close()
})

function depsOf(platform: PlatformDatabase) {
  return {
    platform,
    config: { dbSchemas: ['public'] },
    now: () => new Date(),
    requestMetrics: () => ({
      readSamples: async () => [],
      readSpan: async () => ({ steps: [], routes: [] }),
    }),
  }
}
