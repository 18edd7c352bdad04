/** What one caller leaves in a session never reaches the next, whatever its SQL does; all on a single connection. */
import { Client, type NeonQueryFunction, neon } from '@neondatabase/serverless'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Gateway } from '../../sql-gateway/server.ts'
import { makePost, q, startPostgres, startTestGateway, type TestPostgres } from './support.ts'

let postgres: TestPostgres
let gateway: Gateway
let sql: NeonQueryFunction<false, false>
let post: ReturnType<typeof makePost>
let pid: unknown

beforeAll(async () => {
  postgres = await startPostgres()
  gateway = await startTestGateway(postgres, { limits: { callerPoolSize: 1, ownPoolSize: 1 } })
  sql = neon(postgres.url())
  post = makePost(gateway, postgres.url())
  await sql`create table note (id int primary key)`
}, 60_000)

afterAll(async () => {
  await gateway.close()
  await postgres.remove()
})

beforeEach(async () => {
  await sql`truncate note`
  pid = await backend()
})

/** The session that callers get: the tests that say "the same connection" check that it stayed. */
async function backend(): Promise<unknown> {
  return (await post(q('select pg_backend_pid()'))).json.rows[0][0]
}

describe('a session between callers', () => {
  it('forgets settings, role and search path', async () => {
    await sql.transaction([sql`set statement_timeout = 12345`, sql`set search_path = pg_catalog`])
    await sql`select set_config('request.jwt.claims', 'secret', false)`
    expect(
      await sql`select current_setting('statement_timeout') as timeout, current_setting('search_path') as path,
      coalesce(current_setting('request.jwt.claims', true), '') as claims`,
    ).toEqual([{ timeout: '0', path: '"$user", public', claims: '' }])
    expect(await backend()).toBe(pid)
  })

  it('forgets temporary tables, advisory locks, cursors, LISTEN and prepared names', async () => {
    await sql`create temp table stash as select 1 as secret`
    await sql`select pg_advisory_lock(4711)`
    await sql`prepare mine as select 1`
    await sql.transaction([sql`declare kept cursor with hold for select 1`])
    await sql`listen somewhere`
    expect(
      await sql`select to_regclass('pg_temp.stash') as stash,
      (select count(*)::int from pg_locks where locktype = 'advisory') as locks,
      (select count(*)::int from pg_cursors where name = 'kept') as cursors,
      (select count(*)::int from pg_listening_channels()) as channels,
      (select count(*)::int from pg_prepared_statements) as names`,
    ).toEqual([{ stash: null, locks: 0, cursors: 0, channels: 0, names: 0 }])
    expect(await backend()).toBe(pid)
  })

  it('is replaced when it cannot be reset', async () => {
    // The timeout holds from the next statement on, which is the reset, and that has many tables to drop.
    await sql`do $$ begin
      for i in 1..300 loop execute format('create temp table stash%s as select 1 as secret', i); end loop;
      perform set_config('statement_timeout', '1', false);
    end $$`
    expect(
      await sql`select current_setting('statement_timeout') as timeout, to_regclass('pg_temp.stash1') as stash`,
    ).toEqual([{ timeout: '0', stash: null }])
    expect(await backend()).not.toBe(pid)
  })

  it('sends no notification of a batch that only reads', async () => {
    const heard: string[] = []
    const listener = new Client(postgres.url())
    await listener.connect()
    listener.on('notification', ({ payload }) => heard.push(payload ?? ''))
    await listener.query('listen news')
    const notify = (payload: string) => ({ queries: [q(`select pg_notify('news', '${payload}')`)] })
    const { status } = await post(notify('read'), { headers: { 'Neon-Batch-Read-Only': 'true' } })
    await post(notify('write'))
    await expect.poll(() => heard).toContain('write')
    expect([status, heard]).toEqual([200, ['write']])
    await listener.end()
  })

  it("never shares a connection with Quoin's own statements", async () => {
    const own = await post(q('select pg_backend_pid()'), { headers: { 'Quoin-Statements': 'own' } })
    expect(own.json.rows[0][0]).not.toBe(await backend())
  })
})

describe("transaction control in a caller's SQL", () => {
  it('leaves no transaction open after BEGIN alone', async () => {
    await sql`begin`
    await sql`insert into note values (1)`
    expect(await sql`select id from note`).toEqual([{ id: 1 }])
    // Seen from another session: it was committed, not left in the open transaction.
    const fresh = new Client(postgres.url())
    await fresh.connect()
    expect((await fresh.query('select id from note')).rows).toEqual([{ id: 1 }])
    await fresh.end()
  })

  it.each([
    ['commit', [1, 2]],
    ['rollback', [2]],
    ['commit and chain', [1, 2]],
    ['rollback and chain', [2]],
  ])('survives %s inside a batch', async (control, ids) => {
    const results = await post({
      queries: [q('insert into note values (1)'), q(control), q('insert into note values (2)')],
    })
    expect(results.status).toBe(200)
    expect(await sql`select id from note order by id`).toEqual(ids.map(id => ({ id })))
    expect(await sql`select pg_current_xact_id_if_assigned() as xid`).toEqual([{ xid: null }])
  })

  it('rolls back what a failed batch had begun again', async () => {
    await post({ queries: [q('commit'), q('begin'), q('insert into note values (3)'), q('select 1 / 0')] })
    expect(await sql`select id from note`).toEqual([])
    expect(await backend()).toBe(pid)
  })

  it('does not poison the next batch with a failed transaction', async () => {
    expect((await post({ queries: [q('select 1 / 0')] })).json.code).toBe('22012')
    expect((await post({ queries: [q('select 1')] })).status).toBe(200)
    expect(await backend()).toBe(pid)
  })
})

describe("COPY in a caller's SQL", () => {
  it.each([
    'copy note from stdin',
    'copy note to stdout',
    'COPY (select i from generate_series(1, 100000) i) TO STDOUT',
  ])('refuses %s, commits nothing of its batch, and answers the next caller', async copy => {
    const single = await post(q(copy))
    expect(single.json).toMatchObject({ code: '0A000', message: expect.stringContaining('COPY') })
    const batch = await post({
      queries: [q('insert into note values (9)'), q(copy), q('insert into note values (10)')],
    })
    expect(batch.json).toMatchObject({ code: '0A000', queryIndex: 1 })
    expect(await sql`select id from note`).toEqual([])
  })

  it('runs statements that merely contain the word', async () => {
    const results = await sql.transaction([sql`select 'copy' as word`, sql`insert into note values (11)`])
    expect(results[0]).toEqual([{ word: 'copy' }])
    expect(await sql`select 'a copy' as word, id from note`).toEqual([{ word: 'a copy', id: 11 }])
    const failing = await post({ queries: [q("select 'copy'"), q('insert into note values (11)')] })
    expect(failing.json).toMatchObject({ code: '23505', queryIndex: 1 })
    expect((await post(q("select 'copy' / 0"))).json.code).toBe('22P02')
    expect((await post(q('select 1'))).status).toBe(200)
  })
})
