/**
 * What functions, triggers and policies of users leave in a session of Quoin's own statements never reaches the next
 * batch, and the prepared names stay; all on a single connection.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Gateway } from '../../sql-gateway/server.ts'
import { type Answer, makePost, q, startPostgres, startTestGateway, type TestPostgres } from './support.ts'

const OWN = { 'Quoin-Statements': 'own' }
const READ_ONLY = { ...OWN, 'Neon-Batch-Read-Only': 'true' }
const PROBE = `select pg_backend_pid(), current_setting('default_transaction_read_only'), current_setting('timezone'),
  current_setting('row_security'), current_setting('role'), current_user,
  coalesce(current_setting('mark.of_trigger', true), ''), to_regclass('pg_temp.stash'),
  (select count(*) from pg_locks where locktype = 'advisory'), (select count(*) from pg_listening_channels()),
  (select count(*) from pg_cursors where is_holdable) -- probe`
const CLEAN = ['off', 'UTC', 'on', 'none', 'app', '', null, '0', '0', '0']
/** What a user's function may do; each line leaves something in its session. */
const LEAVE = `
  perform set_config('default_transaction_read_only', 'on', false);
  perform set_config('timezone', 'Asia/Tokyo', false);
  perform set_config('row_security', 'off', false);
  perform set_config('role', 'other', false);
  perform set_config('mark.of_trigger', 'left', false);
  perform pg_advisory_lock(4711);
  execute 'listen somewhere';
  execute 'declare kept cursor with hold for select 1';`

let postgres: TestPostgres
let gateway: Gateway
let post: ReturnType<typeof makePost>
let pid: string

beforeAll(async () => {
  postgres = await startPostgres()
  gateway = await startTestGateway(postgres, { limits: { ownPoolSize: 1, callerPoolSize: 1 } })
  post = makePost(gateway, postgres.url())
  await postgres.admin.query('grant other to app')
  await post(q('create table note (id int primary key)'))
  await post(q('create table late (id int primary key)'))
  await post(q('grant all on note, late to other'))
  await post(q(`create function leave() returns int language plpgsql as $$ begin ${LEAVE} return 1; end $$`))
  await post(
    q(`create function leave_all() returns trigger language plpgsql as $$ begin
      create temp table if not exists stash (id int); ${LEAVE} return new; end $$`),
  )
  await post(q('create trigger t after insert on note for each row execute function leave_all()'))
  await post(
    q(`create constraint trigger t after insert on late deferrable initially deferred
      for each row execute function leave_all()`),
  )
}, 60_000)

afterAll(async () => {
  await gateway.close()
  await postgres.remove()
})

beforeEach(async () => {
  await post(q('truncate note, late'))
  const { json } = await own([q(PROBE)])
  pid = json.results[0].rows[0][0]
})

function own(queries: ReturnType<typeof q>[], headers: Record<string, string> = OWN): Promise<Answer> {
  return post({ queries }, { headers })
}

async function expectClean(): Promise<void> {
  for (const headers of [READ_ONLY, OWN]) {
    const { json } = await own([q(PROBE)], headers)
    expect(json.results[0].rows).toEqual([[pid, ...CLEAN]])
  }
  expect((await own([q('delete from note where false')])).status).toBe(200)
}

describe('a session of own statements', () => {
  it.each(['note', 'late'])('forgets what a trigger left behind (%s)', async table => {
    const { status } = await own([q(`insert into ${table} values ($1)`, [1])])
    expect(status).toBe(200)
    await expectClean()
    expect((await own([q(`select id from ${table}`)])).json.results[0].rows).toEqual([['1']])
  })

  it('forgets what a function left behind in a batch that only reads', async () => {
    const { json } = await own([q('select leave()')], READ_ONLY)
    expect(json.results[0].rows).toEqual([['1']])
    await expectClean()
  })

  it('forgets it also where a serializable batch that only reads is committed', async () => {
    const headers = { ...READ_ONLY, 'Neon-Batch-Isolation-Level': 'Serializable' }
    expect((await own([q('select leave()')], headers)).status).toBe(200)
    await expectClean()
  })

  it.each([READ_ONLY, OWN])('forgets it after a batch that failed (%o)', async headers => {
    const { json } = await own([q('select leave()'), q('select 1 / 0')], headers)
    expect(json).toMatchObject({ code: '22012', queryIndex: 1 })
    await expectClean()
  })

  it('forgets it after a single statement without a transaction around it', async () => {
    expect((await post(q('insert into note values (2)'), { headers: OWN })).status).toBe(200)
    await expectClean()
    expect((await post(q('select leave() / 0'), { headers: OWN })).json.code).toBe('22012')
    await expectClean()
  })

  it('keeps a connection whose first batch failed', async () => {
    const fresh = await startTestGateway(postgres, { limits: { ownPoolSize: 1 } })
    const ask = makePost(fresh, postgres.url())
    const who = async () => (await ask({ queries: [q(PROBE)] }, { headers: OWN })).json.results[0].rows[0][0]
    expect((await ask({ queries: [q('select 1 / 0')] }, { headers: OWN })).json.code).toBe('22012')
    const first = await who()
    expect([await who(), await who()]).toEqual([first, first])
    await fresh.close()
  })

  it('forgets the numbers that a sequence gave', async () => {
    await post(q('create sequence if not exists numbers'))
    await own([q("select nextval('numbers')")])
    expect((await own([q("select currval('numbers')")])).json.code).toBe('55000')
  })

  it('keeps its prepared names and what Postgres planned for them', async () => {
    const text = 'insert into note values ($1) -- kept'
    for (const id of [1, 2, 3]) await own([q(text, [id])])
    await own([q('select leave()')], READ_ONLY)
    const { json } = await own([
      q('select generic_plans + custom_plans from pg_prepared_statements where statement = $1', [text]),
    ])
    expect(json.results[0].rows).toEqual([['3']])
  })

  it('rolls nothing back that a batch wrote, and says of a failed deferred check that the end failed', async () => {
    await post(q('create table if not exists parent (id int primary key)'))
    await post(q('create table if not exists child (id int references parent deferrable initially deferred)'))
    const { json } = await own([q('select 1'), q('insert into child values (404)')])
    expect(json).toMatchObject({ code: '23503', queryIndex: 2 })
    const good = await own([q('insert into child values (5)'), q('insert into parent values (5)')])
    expect(good.status).toBe(200)
    expect((await post(q('select count(*) from child'))).json.rows).toEqual([['1']])
  })
})
