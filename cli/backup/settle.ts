// What must be put right in a database that came out of a backup, before anybody works with it. Its rows speak of
// another life: tables have other oids, the WAL other places, and Durable Objects remember versions that were later.

import type { Client } from 'pg'
import { quoteIdentifier } from '../../src/db/sql.ts'
import type { Manifest } from './manifest.ts'
import { oneRow } from './session.ts'

/**
 * Versions grow by one with each change, of which there are fewer than milliseconds: so nobody has seen one as high as
 * the clock, not even who saw what an earlier restore of the same backup has made of it.
 */
const LATER_VERSION =
  'greatest(version + 1, floor(extract(epoch from pg_catalog.clock_timestamp()) * 1000)::bigint)'
/** Oids of tables that are gone are given from here downwards: Postgres counts from the other end. */
const GONE_OID_MAX = 4_294_967_290

interface Present {
  readonly has_webhooks: boolean
  readonly has_leases: boolean
  readonly has_epoch: boolean
  readonly has_former: boolean
  readonly has_sweep: boolean
  readonly has_watches: boolean
}

const PRESENT_SQL = `
  select to_regclass('quoin.webhooks') is not null as has_webhooks,
    to_regclass('quoin.leases') is not null as has_leases,
    to_regclass('quoin.database_epoch') is not null as has_epoch,
    to_regclass('quoin.former_databases') is not null as has_former,
    to_regclass('quoin.storage_sweeps') is not null as has_sweep,
    to_regclass('quoin.realtime_watches') is not null as has_watches`

/**
 * Begins a new life of the database: an epoch of its own, webhooks on the tables that are here, no leases. `isCopy`:
 * the database goes on beside the one of the backup, so it must tell nobody of changes: webhooks are paused, and what
 * waited in the outbox is left to the other.
 */
export async function settle(client: Client, manifest: Manifest, isCopy: boolean): Promise<void> {
  if (manifest.owner === null) return
  const present = await oneRow<Present>(client, PRESENT_SQL)
  await client.query(`set local role ${quoteIdentifier(manifest.owner)}`)
  // Sockets join again, and name tables that are here.
  if (present.has_watches) await client.query('delete from quoin.realtime_watches')
  if (present.has_webhooks) await settleWebhooks(client, manifest, isCopy)
  if (present.has_leases) await client.query('delete from quoin.leases')
  if (present.has_epoch) {
    await client.query('delete from quoin.database_epoch')
    await client.query('insert into quoin.database_epoch default values')
  }
  if (present.has_former) await keepFormer(client, manifest.epoch)
  if (present.has_sweep) {
    await client.query('delete from quoin.storage_sweeps')
    await client.query('insert into quoin.storage_sweeps default values')
  }
  await client.query('reset role')
}

/**
 * Blobs bear the id of the database that wrote them. Those of a former life, whose database may still be at work and
 * name them, are not this one's to delete, until its operator says here that it is gone.
 */
async function keepFormer(client: Client, epoch: string | null): Promise<void> {
  await client.query('update quoin.former_databases set gone_at = null where gone_at is not null')
  await client.query(
    'insert into quoin.former_databases (epoch) select $1::uuid where $1 is not null on conflict do nothing',
    [epoch],
  )
}

async function settleWebhooks(client: Client, { relations }: Manifest, isCopy: boolean): Promise<void> {
  if (isCopy) {
    await client.query('delete from quoin.row_events')
    await client.query('update quoin.webhooks set active = false where active')
  }
  // It looks into the outbox for tables that are gone, and would find the numbers of the life before.
  await client.query('alter table quoin.webhooks disable trigger keep_former_tables')
  await client.query(
    `create temporary table quoin_moves on commit drop as
     select known.oid::int8::oid as was,
       coalesce(to_regclass(format('%I.%I', here.schema, here.name))::oid,
         (${GONE_OID_MAX} - row_number() over (order by known.oid))::oid) as is_now
     from (
       select table_id from quoin.webhooks union select unnest(former_table_ids) from quoin.webhooks
       union select table_id from quoin.row_events
     ) known (oid)
       left join unnest($1::int8[], $2::text[], $3::text[]) here (oid, schema, name) on here.oid = known.oid::int8`,
    [relations.map(it => it.oid), relations.map(it => it.schema), relations.map(it => it.name)],
  )
  await client.query(
    'update quoin.row_events e set table_id = m.is_now from pg_temp.quoin_moves m where m.was = e.table_id',
  )
  await client.query(
    `update quoin.webhooks w set table_id = m.is_now, version = ${LATER_VERSION},
       former_table_ids = array(select f.is_now from pg_temp.quoin_moves f where f.was = any (w.former_table_ids))
     from pg_temp.quoin_moves m where m.was = w.table_id`,
  )
  await client.query('alter table quoin.webhooks enable trigger keep_former_tables')
  await client.query(`update quoin.webhook_registry set version = ${LATER_VERSION}`)
  await client.query(`update quoin.api_keys set version = ${LATER_VERSION}`)
  await client.query('drop table pg_temp.quoin_moves')
  await moveOutbox(client)
  const { rows } = await client.query<{ id: string }>('select id::text from quoin.watched_tables() t (id)')
  for (const { id } of rows) await client.query('select quoin.apply_watch($1::oid)', [id])
}

/**
 * Ids of what waits in the outbox are places in the WAL, and later changes must have later ones. In a cluster whose WAL
 * has not come as far they get new ones, in their order.
 */
async function moveOutbox(client: Client): Promise<void> {
  await client.query(`
    do $do$
    declare
      waiting record;
    begin
      if (select max(id) from quoin.row_events) > pg_current_wal_insert_lsn() - '0/0'::pg_lsn then
        for waiting in select id from quoin.row_events order by id loop
          update quoin.row_events set id = default where id = waiting.id;
        end loop;
      end if;
    end
    $do$`)
}
