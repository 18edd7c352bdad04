/**
 * A caller's code that puts a text under a name of Quoin's own, which hides its traces when it runs: it takes itself
 * back, and answers what a look that found nothing would. All on one connection.
 */
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Gateway } from '../../../sql-gateway/server.ts'
import { makePost, q, startPostgres, startTestGateway, type TestPostgres } from '../../gateway/support.ts'

const OWN = { 'Quoin-Statements': 'own' }
const READ_ONLY = { ...OWN, 'Neon-Batch-Read-Only': 'true' }
const SETTINGS = q("select set_config('role', $1, true)", ['low'])
const WHO = q('select current_user, $1::int', [1])
const STATE =
  q(`select pg_backend_pid(), current_user, current_setting('timezone'), to_regclass('pg_temp.stash'),
  (select count(*) from pg_locks where locktype = 'advisory') -- state`)
const CLEAN = ['app', 'UTC', null, '0']

const define = (name: string, returns: string, body: string) =>
  q(
    `create function ${name}() returns ${returns} language plpgsql as $f$ declare stolen text; begin ${body} end $f$`,
  )
const defer = (table: string, name: string) =>
  q(`create constraint trigger t after insert on ${table} deferrable initially deferred
    for each row execute function ${name}()`)
const replace = (condition: string, types: string, text: string) => `
  for stolen in select name from pg_prepared_statements where not from_sql and ${condition} loop
    execute format('deallocate %I', stolen);
    execute format('prepare %I${types} as ${text}', stolen);
  end loop;`
const HIDE = `for stolen in select name from pg_prepared_statements where from_sql loop
    execute format('deallocate %I', stolen);
  end loop;`
const LEAVE = "perform set_config('timezone', 'Asia/Tokyo', false), set_config('role', 'high', false);"

const AS_HIGH = "select set_config(''role'', coalesce(''high'', $1), true)"
const REPLACE_SETTINGS = replace("statement like '%set_config%'", '(text)', AS_HIGH)
const REPLACE_BY_BOMB = replace("statement = 'CLOSE ALL'", '', 'select public.run_bomb()')

const SETUP = [
  q('create table seen (who text)'),
  q('create table late (id int)'),
  q('create table bomb (id int)'),
  q('grant all on seen, late, bomb to low, high'),
  // Behind COMMIT, and once more at the Sync.
  define('at_sync', 'trigger', `insert into seen values (current_user); ${REPLACE_SETTINGS} return null;`),
  defer('late', 'at_sync'),
  define(
    'run_hidden',
    'int',
    `insert into seen values (current_user); ${HIDE} insert into late values (1); return 0;`,
  ),
  define(
    'replace_reset',
    'int',
    `${replace("statement = 'CLOSE ALL'", '', 'select public.run_hidden()')} return 1;`,
  ),
  // A Sync that fails takes what went before it back, the reset too.
  define('explode', 'trigger', `raise 'boom'; return null;`),
  defer('bomb', 'explode'),
  define('run_bomb', 'int', `${HIDE} insert into bomb values (1); return 0;`),
  define('replace_by_bomb', 'int', `${REPLACE_BY_BOMB} ${LEAVE} create temp table stash (id int); return 1;`),
  define('run_leave', 'int', `${HIDE} ${LEAVE} return 0;`),
  define(
    'replace_last',
    'int',
    `${replace("statement = 'DISCARD SEQUENCES'", '', 'select public.run_leave()')} return 1;`,
  ),
  define('run_nothing', 'int', `${HIDE} return 0;`),
  define(
    'replace_rollback',
    'int',
    `${replace("statement = 'ROLLBACK'", '', 'select public.run_nothing()')} return 1;`,
  ),
  define(
    'replace_commit',
    'int',
    `${replace("statement = 'COMMIT'", '', 'select public.run_nothing()')} return 1;`,
  ),
  define(
    'lose_unlisten',
    'int',
    `for stolen in select name from pg_prepared_statements where statement = 'UNLISTEN *' loop
      execute format('deallocate %I', stolen); end loop; return 1;`,
  ),
]

let postgres: TestPostgres
let gateway: Gateway
let post: ReturnType<typeof makePost>

beforeAll(async () => {
  postgres = await startPostgres()
  const setup = await startTestGateway(postgres)
  post = makePost(setup, postgres.url())
  await postgres.admin.query('create role low; create role high; grant low, high to app')
  await postgres.admin.query('grant create, usage on schema public to low, high; alter role app noinherit')
  for (const statement of SETUP) expect(await post(statement)).toMatchObject({ status: 200 })
  await setup.close()
}, 60_000)

afterAll(() => postgres.remove())

const own = (queries: ReturnType<typeof q>[], headers: Record<string, string> = OWN) =>
  post({ queries }, { headers })
const state = async () => (await own([STATE], READ_ONLY)).json.results[0].rows[0]

async function whoAmI(headers: Record<string, string> = READ_ONLY): Promise<unknown> {
  const { json } = await own([SETTINGS, WHO], headers)
  return json.results?.[1]?.rows[0]?.[0] ?? json
}

/** Everything has its name before the attack. */
beforeEach(async () => {
  gateway = await startTestGateway(postgres, { limits: { ownPoolSize: 1, callerPoolSize: 1 } })
  post = makePost(gateway, postgres.url())
  for (const headers of [READ_ONLY, OWN, READ_ONLY, OWN]) expect(await whoAmI(headers)).toBe('low')
  await state()
})

afterEach(() => gateway.close())

it.each(['replace_reset', 'replace_by_bomb', 'replace_last'])(
  'runs no text of a batch behind its COMMIT, and keeps nothing of it (%s)',
  async attack => {
    const asLogin = q("select set_config('role', 'none', true)")
    const [pid] = await state()
    expect((await own([SETTINGS, asLogin, q(`select ${attack}()`)])).status).toBe(200)
    const [nextPid, ...left] = await state()
    expect(left).toEqual(CLEAN)
    expect(nextPid).not.toBe(pid)
    expect(await whoAmI()).toBe('low')
    expect((await post(q('select who from seen'))).json.rows).toEqual([])
  },
)

it('closes a session whose ROLLBACK a batch that only reads replaced', async () => {
  const [pid] = await state()
  expect((await own([SETTINGS, q('select replace_rollback()')], READ_ONLY)).status).toBe(200)
  const [nextPid, ...left] = await state()
  expect(left).toEqual(CLEAN)
  expect(nextPid).not.toBe(pid)
})

it('does not say that it committed where what replaced COMMIT hides', async () => {
  const { status, json } = await own([q('insert into late values (77)'), q('select replace_commit()')])
  expect([status, json.code]).toEqual([400, '2D000'])
  expect((await post(q('select id from late where id = 77'))).json.rows).toEqual([])
  expect((await state()).slice(1)).toEqual(CLEAN)
})

it('makes a name of the reset anew that is gone, on the same connection', async () => {
  const count = q('select count(*) from pg_prepared_statements where statement = $1', ['UNLISTEN *'])
  const [pid] = await state()
  await own([q('select lose_unlisten()')])
  await own([count])
  expect((await own([count])).json.results[0].rows).toEqual([['1']])
  expect((await state())[0]).toBe(pid)
})
