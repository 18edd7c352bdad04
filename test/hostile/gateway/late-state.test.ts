/**
 * A deferred trigger of a user's may say SET CONSTRAINTS ALL DEFERRED and queue another, which Postgres runs as late as
 * in COMMIT. What it leaves in the session does not reach the next caller. All on one connection.
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Gateway } from '../../../sql-gateway/server.ts'
import { makePost, q, startPostgres, startTestGateway, type TestPostgres } from '../../gateway/support.ts'

const OWN = { 'Quoin-Statements': 'own' }
const STATE = q(`select current_setting('timezone'), current_setting('extra_float_digits'), current_user,
  to_regclass('pg_temp.left_behind'), (select count(*) from pg_locks where locktype = 'advisory'),
  (select count(*) from pg_cursors where is_holdable)`)

let postgres: TestPostgres
let gateway: Gateway
let post: ReturnType<typeof makePost>

beforeAll(async () => {
  postgres = await startPostgres()
  gateway = await startTestGateway(postgres, { limits: { ownPoolSize: 1 } })
  post = makePost(gateway, postgres.url())
  await postgres.admin.query('grant other to app')
  for (const table of ['first', 'second']) {
    await post(q(`create table ${table} (id int)`))
    await post(q(`grant all on ${table} to other`))
  }
  await post(q('create table seen (who text)'))
  await post(q('grant all on seen to other'))
  await post(
    q(`create function queue_another() returns trigger language plpgsql as $$ begin
      set constraints all deferred; insert into second values (1); return null; end $$`),
  )
  await post(
    q(`create function leave_state() returns trigger language plpgsql as $$ begin
      insert into seen values (current_user);
      perform set_config('timezone', 'Asia/Tokyo', false), set_config('extra_float_digits', '-15', false),
        set_config('role', 'other', false), pg_advisory_lock(4711);
      create temp table left_behind (id int);
      execute 'declare left_open cursor with hold for select 1';
      return null; end $$`),
  )
  await post(
    q(`create constraint trigger t after insert on first deferrable initially deferred
      for each row execute function queue_another()`),
  )
  await post(
    q(`create constraint trigger t after insert on second deferrable initially deferred
      for each row execute function leave_state()`),
  )
}, 60_000)

afterAll(async () => {
  await gateway.close()
  await postgres.remove()
})

it('forgets what the last trigger of a COMMIT left behind', async () => {
  const insert = q('insert into first values (1)')
  expect((await post({ queries: [insert] }, { headers: OWN })).status).toBe(200)
  const { json } = await post({ queries: [STATE] }, { headers: { ...OWN, 'Neon-Batch-Read-Only': 'true' } })
  expect(json.results[0].rows).toEqual([['UTC', '1', 'app', null, '0', '0']])
  expect((await post(q('select count(*) from second'))).json.rows).toEqual([['1']])
})

// The attack: behind a reset that stands before COMMIT the last triggers run as the login role, which may become any
// other.
it('runs the last trigger of a COMMIT in the role of its caller', async () => {
  const queries = [q("select set_config('role', 'other', true)"), q('insert into first values (2)')]
  expect((await post({ queries }, { headers: OWN })).status).toBe(200)
  expect((await post(q('select who from seen order by who desc limit 1'))).json.rows).toEqual([['other']])
})
