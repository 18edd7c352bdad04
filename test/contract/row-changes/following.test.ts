// What its owner does to a watched table later, and what the repair of every minute makes of it: which webhook gets
// which change, nothing lost that was committed while the table was watched.

import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Chunk } from '../../../src/features/row-changes/ingest/messages.ts'
import { applyAllWatches, changeAndApply } from '../../../src/features/row-changes/watching/apply-watch.ts'
import { findWatchableTable } from '../../../src/features/row-changes/watching/find-table.ts'
import { repairWatches } from '../../../src/features/row-changes/watching/repair-watches.ts'
import type { WebhookFanouts } from '../../../src/features/webhooks/delivery/fanout-contract.ts'
import { matching, webhookRegistry } from '../../../src/features/webhooks/subscription/webhook-registry.ts'
import { webhookSubscriber } from '../../../src/features/webhooks/subscription/webhook-subscriber.ts'
import { type OutboxDatabase, openOutboxDatabase } from './database.ts'

let db: OutboxDatabase

beforeAll(async () => {
  db = await openOutboxDatabase()
})

afterAll(async () => {
  await db.end()
})

/** As the cron of every minute does. */
async function repair(): Promise<void> {
  const { platform } = db
  const webhooks = webhookSubscriber({
    platform,
    registry: webhookRegistry(platform),
    fanouts: {} as WebhookFanouts,
  })
  await repairWatches({ platform, rowChangeSubscribers: [webhooks] })
}

const newName = () => `public.t_${randomBytes(5).toString('hex')}`

async function makeTable(columns = 'id int primary key', table = newName()) {
  await db.owner.query(`create table ${table} (${columns})`)
  const id = await findWatchableTable(db, { table_schema: 'public', table_name: table.slice(7) })
  return { table, id }
}

/** A webhook on a table, as a verb makes it. */
async function watch({ table, id }: { table: string; id: number }, events: readonly string[] = ['INSERT']) {
  const webhook = await db.addWebhook(table, events)
  await changeAndApply(db, [], [id])
  return webhook
}

const registryVersion = async () =>
  Number((await db.owner.query('select version from quoin.webhook_registry')).rows[0].version)

/** The webhooks that get each chunk of the table, as a consumer that has just read the registry finds them. */
async function takersOf(tableId: number): Promise<string[][]> {
  const { webhooks } = await webhookRegistry(db.platform).atLeast(await registryVersion())
  const { rows } = await db.owner.query<Chunk>(
    'select * from quoin.row_events where table_id = $1 order by id',
    [tableId],
  )
  return rows.map(chunk => matching(webhooks, chunk).map(({ id }) => id))
}

async function readWebhook(id: string) {
  const { rows } = await db.owner.query('select * from quoin.webhooks where id = $1', [id])
  return rows[0]
}

describe('changed', () => {
  it('renamed, it is followed under its new name', async () => {
    const { table, id } = await makeTable()
    await db.watch(table)
    const renamed = newName()
    await db.owner.query(
      `alter table ${table} rename to ${renamed.slice(7)}; insert into ${renamed} values (1)`,
    )
    const [chunk] = await db.chunks(id)
    expect(chunk).toMatchObject({ table_id: id, table_name: renamed.slice(7) })
  })

  it('with another primary key, it goes on without keys, and has the new ones once its watch is applied', async () => {
    const { table, id } = await makeTable('id int primary key, other int not null')
    await db.addWebhook(table, ['INSERT'])
    await changeAndApply(db, [], [id])
    await db.owner.query(`alter table ${table} rename id to number`)
    await db.owner.query(`insert into ${table} values (1, 10)`)
    await db.owner.query(`insert into ${table} values (2, 20), (3, 30)`)
    expect(await applyAllWatches(db)).toEqual(new Map())
    await db.owner.query(`insert into ${table} values (4, 40)`)
    await db.owner.query(
      `alter table ${table} drop constraint ${table.slice(7)}_pkey, add primary key (other)`,
    )
    await applyAllWatches(db)
    await db.owner.query(`insert into ${table} values (5, 50)`)
    expect((await db.chunks(table)).map(({ keys }) => keys)).toEqual([null, null, ['["4"]'], ['["50"]']])
  })

  it('with a trigger of its own, it gets row triggers, and statement triggers again without', async () => {
    const { table, id } = await makeTable()
    await db.addWebhook(table, ['INSERT', 'UPDATE'])
    await changeAndApply(db, [], [id])
    await db.owner.query(`create function ${table}_f() returns trigger language plpgsql as 'begin return null; end';
      create trigger a after insert on ${table} for each row execute function ${table}_f()`)
    await applyAllWatches(db)
    expect(await db.triggers(table)).toEqual(['insert row', 'update row'])
    await db.owner.query(`drop trigger a on ${table}`)
    await applyAllWatches(db)
    expect(await db.triggers(table)).toEqual(['insert statement', 'update statement'])
    await db.owner.query(`insert into ${table} values (1)`)
    expect(await db.changes(table)).toHaveLength(1)
  })

  it('disabled or dropped by its owner, the triggers come back', async () => {
    const { table, id } = await makeTable()
    await db.addWebhook(table, ['INSERT', 'DELETE'])
    await changeAndApply(db, [], [id])
    await db.owner.query(
      `alter table ${table} disable trigger user; drop trigger "!quoin_delete_${id}" on ${table}`,
    )
    await applyAllWatches(db)
    await db.owner.query(`insert into ${table} values (1)`)
    await db.owner.query(`delete from ${table}`)
    expect(await db.changes(table)).toHaveLength(2)
  })

  it('dropped, it is let go and the webhook stays', async () => {
    const { table, id } = await makeTable()
    const webhook = await db.addWebhook(table, ['INSERT'])
    await changeAndApply(db, [], [id])
    await db.owner.query(`drop table ${table}`)
    expect(await applyAllWatches(db)).toEqual(new Map())
    const { rows } = await db.owner.query(`select id from quoin.webhooks where id = $1`, [webhook])
    expect(rows).toEqual([{ id: webhook }])
  })

  it('emptied by TRUNCATE, it reports nothing to webhooks', async () => {
    const { table } = await makeTable()
    await db.watch(table, ['DELETE'])
    await db.owner.query(`insert into ${table} values (1); truncate ${table}`)
    expect(await db.chunks(table)).toEqual([])
  })
})

describe('renamed', () => {
  // A table that takes the old name may hold what the receiver of the first must never see.
  it('a table and the next one of its name each go to the webhook that watches it, and to no other', async () => {
    const first = await makeTable()
    const one = await watch(first)
    const renamed = newName()
    await db.owner.query(`alter table ${first.table} rename to ${renamed.slice(7)}`)
    const second = await makeTable('id int primary key', first.table)
    const two = await watch(second)
    for (const between of [async () => {}, repair]) {
      await between()
      await db.owner.query(`delete from quoin.row_events`)
      await db.owner.query(`insert into ${renamed} select count(*) from ${renamed}`)
      await db.owner.query(`insert into ${first.table} select count(*) from ${first.table}`)
      expect(await takersOf(first.id)).toEqual([[one]])
      expect(await takersOf(second.id)).toEqual([[two]])
    }
  })

  it('it is known by its new name, also in another schema, once it is repaired', async () => {
    const { table, id } = await makeTable()
    const webhook = await watch({ table, id })
    const schema = newName().slice(7)
    await db.owner.query(`create schema ${schema}; alter table ${table} rename to "New name";
      alter table public."New name" set schema ${schema}`)
    await repair()
    expect(await readWebhook(webhook)).toMatchObject({
      table_schema: schema,
      table_name: 'New name',
      table_id: id,
      version: '2',
    })
  })
})

describe('dropped and made again', () => {
  it('it is watched again, and what was committed before the drop still reaches its webhook', async () => {
    const first = await makeTable()
    const webhook = await watch(first, ['INSERT', 'DELETE'])
    await db.owner.query(`insert into ${first.table} values (1)`)
    const formerIds = []
    let { id } = first
    for (let time = 0; time < 2; time++) {
      formerIds.push(id)
      await db.owner.query(`drop table ${first.table}`)
      id = (await makeTable('number bigint primary key', first.table)).id
      const before = await registryVersion()
      await repair()
      expect(await registryVersion()).toBeGreaterThan(before)
      expect(await db.triggers(first.table)).toEqual(['delete statement', 'insert statement'])
      await db.owner.query(`insert into ${first.table} values (2)`)
    }
    for (const tableId of [...formerIds, id]) expect(await takersOf(tableId)).toEqual([[webhook]])
    expect(await readWebhook(webhook)).toMatchObject({ table_id: id, former_table_ids: formerIds })
  })

  it('moved by its user instead, it keeps what was committed before the drop too', async () => {
    const [first, other] = [await makeTable(), await makeTable()]
    const webhook = await watch(first)
    await db.owner.query(`insert into ${first.table} values (1); drop table ${first.table}`)
    await db.owner.query('update quoin.webhooks set table_id = $2 where id = $1', [webhook, other.id])
    expect(await takersOf(first.id)).toEqual([[webhook]])
  })

  it('it forgets the former table once nothing of it waits, and never keeps one that is there', async () => {
    const [first, other] = [await makeTable(), await makeTable()]
    const webhook = await watch(first)
    await db.owner.query(`insert into ${first.table} values (1)`)
    await db.owner.query('update quoin.webhooks set table_id = $2 where id = $1', [webhook, other.id])
    expect(await readWebhook(webhook)).toMatchObject({ former_table_ids: [] })
    await db.owner.query(`drop table ${other.table}`)
    await makeTable('id int primary key', other.table)
    await db.owner.query(`update quoin.webhooks set table_name = $2 where id = $1`, [
      webhook,
      other.table.slice(7),
    ])
    await repair()
    expect(await readWebhook(webhook)).toMatchObject({ former_table_ids: [] })
    expect(await db.triggers(other.table)).toEqual(['insert statement'])
  })

  it('under the name that it was renamed to, it is found under that one', async () => {
    const { table, id } = await makeTable()
    const webhook = await watch({ table, id })
    const renamed = newName()
    await db.owner.query(`alter table ${table} rename to ${renamed.slice(7)}`)
    await repair()
    await db.owner.query(`drop table ${renamed}`)
    await makeTable('id int', table)
    await repair()
    expect(await readWebhook(webhook)).toMatchObject({ table_id: id })
    const again = await makeTable('id int', renamed)
    await repair()
    expect(await readWebhook(webhook)).toMatchObject({ table_id: again.id })
  })

  it('as something that cannot be watched, it is waited for', async () => {
    const { table, id } = await makeTable()
    const webhook = await watch({ table, id })
    await db.owner.query(`drop table ${table}; create view ${table} as select 1 as id`)
    await repair()
    expect(await readWebhook(webhook)).toMatchObject({ table_id: id, version: '1' })
    await db.owner.query(`drop view ${table}; create table ${table} (id int) partition by list (id)`)
    await repair()
    expect(await db.triggers(table)).toEqual(['insert row'])
  })

  it('and locked, it is watched by a later repair: webhook and triggers together', async () => {
    const { table, id } = await makeTable()
    const webhook = await watch({ table, id })
    await db.owner.query(`drop table ${table}`)
    await makeTable('id int', table)
    const holder = await db.connect('owner')
    await holder.query(`begin; insert into ${table} values (1)`)
    await repair()
    expect(await readWebhook(webhook)).toMatchObject({ table_id: id, version: '1' })
    await holder.query('commit')
    await repair()
    expect(await db.triggers(table)).toEqual(['insert statement'])
  })
})

it('repairs change nothing where everything is as it should be', async () => {
  const webhook = await watch(await makeTable())
  await repair()
  const [row, version] = [await readWebhook(webhook), await registryVersion()]
  await repair()
  expect([await readWebhook(webhook), await registryVersion()]).toEqual([row, version])
})
