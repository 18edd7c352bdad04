// What `GET /v1/status` says of row changes that wait, and of tables whose changes cannot be recorded. In a database of
// the file's own: no listener empties its outbox.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { LISTENER_LOCK_KEY } from '../../../src/features/row-changes/ingest/messages.ts'
import { platformStatusOf } from '../../support/platform-status.ts'
import { type OutboxDatabase, openOutboxDatabase } from './database.ts'

let db: OutboxDatabase
let table: string

beforeAll(async () => {
  db = await openOutboxDatabase()
})

afterAll(async () => {
  await db.end()
})

beforeEach(async () => {
  await db.owner.query('delete from quoin.webhooks; delete from quoin.row_events')
  table = await db.watched('id int primary key, n int')
})

const status = () => platformStatusOf(db.platform)

describe('changes that wait in the outbox', () => {
  it('are nothing to tell while there are none, or they are new', async () => {
    const well = { status: 'ok', problems: [] }
    expect(await status()).toMatchObject({ ...well, webhooks: { oldest_waiting_seconds: null } })
    await db.owner.query(`insert into ${table} values (1, 1)`)
    await db.owner.query(`update ${table} set n = 2`)
    expect(await status()).toMatchObject({
      ...well,
      webhooks: { oldest_waiting_seconds: expect.any(Number) },
    })
  })

  it('and were written two minutes ago make it degraded: nobody takes them', async () => {
    await db.owner.query(`insert into ${table} values (1, 1)`)
    await db.owner.query(`update quoin.row_events set occurred_at = now() - interval '2 minutes'`)
    const { webhooks, ...rest } = await status()
    expect(rest).toMatchObject({ status: 'degraded', problems: [expect.stringContaining('No listener')] })
    expect(webhooks.oldest_waiting_seconds).toBeGreaterThanOrEqual(120)
    await db.owner.query(`delete from quoin.row_events`)
  })

  it('while a listener is connected are for its log and the Worker’s to explain', async () => {
    await db.owner.query(`update ${table} set n = 2`)
    await db.owner.query(`insert into ${table} values (1, 1)`)
    await db.owner.query(`update ${table} set n = 2`)
    await db.owner.query(`update quoin.row_events set occurred_at = now() - interval '2 minutes'`)
    expect(await status()).toMatchObject({ webhooks: { listener_connected: false } })
    const listener = await db.connect('owner')
    await listener.query('select pg_advisory_lock($1)', [LISTENER_LOCK_KEY])
    expect(await status()).toMatchObject({
      status: 'degraded',
      webhooks: { listener_connected: true },
      problems: [expect.stringContaining('A listener is connected')],
    })
    await listener.query('select pg_advisory_unlock($1)', [LISTENER_LOCK_KEY])
  })
})

describe('a table of a webhook whose changes cannot be recorded', () => {
  /** Breaks something, asks, and puts it right again. */
  async function problemsAfter(breaking: string, unrecorded = [table]): Promise<string[]> {
    await db.owner.query(`begin; ${breaking}; commit`)
    const { status: summary, problems, webhooks } = await status()
    expect(summary).toBe('degraded')
    expect(webhooks.unrecorded_tables).toEqual(unrecorded)
    return problems
  }

  it('is named with the trigger that is gone or switched off', async () => {
    await db.owner.query(`alter table ${table} disable trigger user`)
    expect(await status()).toMatchObject({ webhooks: { unrecorded_tables: [table] } })
    await db.watch(table)
    expect(await status()).toMatchObject({ status: 'ok' })
    const { rows } = await db.owner.query(
      `select tgname from pg_trigger where tgrelid = '${table}'::regclass and tgname like '!quoin_update%'`,
    )
    const [problem] = await problemsAfter(`drop trigger "${rows[0].tgname}" on ${table}`)
    expect(problem).toContain(`Changes of ${table} cannot be recorded: the trigger for UPDATE is missing`)
  })

  it('is named with the right that is gone', async () => {
    const grant = 'grant insert on quoin.row_events to quoin_outbox'
    // Of every recorded table: messages to sockets are in one too.
    const all = [table, 'realtime.messages']
    const [problem] = await problemsAfter('revoke insert on quoin.row_events from quoin_outbox', all)
    expect(problem).toContain('the right of quoin_outbox to insert into quoin.row_events is missing')
    await db.owner.query(grant)
    const append = 'execute on function quoin.append_chunk'
    const [other] = await problemsAfter(`revoke ${append} from public`, all)
    expect(other).toContain('the right of everybody to call quoin.append_chunk is missing')
    await db.owner.query(`grant ${append} to public`)
    expect(await status()).toMatchObject({ status: 'ok', webhooks: { unrecorded_tables: [] } })
  })

  it('is not one that is gone itself: nothing changes there', async () => {
    await db.owner.query(`drop table ${table}`)
    expect(await status()).toMatchObject({ status: 'ok', problems: [] })
  })
})
