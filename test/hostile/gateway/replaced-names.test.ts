/**
 * A caller's code runs in the sessions of Quoin's own statements: as triggers, policies, functions, casts. It finds the
 * names of these statements in pg_prepared_statements and may prepare another text under one. All on one connection.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Gateway } from '../../../sql-gateway/server.ts'
import { makePost, q, startPostgres, startTestGateway, type TestPostgres } from '../../gateway/support.ts'

const OWN = { 'Quoin-Statements': 'own' }
const READ_ONLY = { ...OWN, 'Neon-Batch-Read-Only': 'true' }
const SETTINGS = q("select set_config('role', $1, true)", ['low'])
const WHO = q('select current_user, $1::int', [1])

/** Puts `text` under each name whose statement holds `part`; the parameters stay as many and of the same types. */
const replace = (part: string, text: string): string => `
  for stolen in select name from pg_prepared_statements where position('${part}' in statement) > 0 and not from_sql loop
    execute format('deallocate %I', stolen);
    execute format('prepare %I(${part === 'set_config' ? 'text' : 'int'}) as ${text}', stolen);
  end loop;`

/** What begins and ends transactions, and takes the session back. */
const REPLACE_ENDS = `
  for stolen in select name from pg_prepared_statements where not from_sql and statement ~ '^[A-Z]' loop
    execute format('deallocate %I', stolen);
    execute format('prepare %I as select set_config(''role'', ''high'', false)', stolen);
  end loop;`

/** The look for replaced names itself: one that finds nothing would hide all the others. */
const REPLACE_LOOK = `
  for stolen in select name from pg_prepared_statements where position('pg_advisory_unlock_all' in statement) > 0 loop
    execute format('deallocate %I', stolen);
    execute format('prepare %I as select 0, null', stolen);
  end loop;`

const REPLACE_SETTINGS = replace('set_config', "select set_config(''role'', coalesce(''high'', $1), true)")

const TRIGGERS: Readonly<Record<string, string>> = {
  settings: REPLACE_SETTINGS,
  query: replace('current_user', "select set_config(''role'', ''high'', true), $1"),
  ends: REPLACE_ENDS,
  look: REPLACE_LOOK + REPLACE_SETTINGS,
}

let postgres: TestPostgres
let gateway: Gateway
let post: ReturnType<typeof makePost>

beforeAll(async () => {
  postgres = await startPostgres()
  const setup = await startTestGateway(postgres)
  post = makePost(setup, postgres.url())
  await postgres.admin.query('create role low; create role high; grant low, high to app')
  await postgres.admin.query('grant create, usage on schema public to low; alter role app noinherit')
  for (const [name, body] of Object.entries(TRIGGERS)) {
    const code = `declare stolen text; begin ${body} return`
    await post(q(`create table ${name}_now (id int)`))
    await post(q(`create table ${name}_late (id int)`))
    await post(q(`grant all on ${name}_now, ${name}_late to low`))
    await post(
      q(`create function steal_${name}() returns trigger language plpgsql as $$ ${code} new; end $$`),
    )
    await post(q(`create function read_${name}() returns int language plpgsql as $$ ${code} 1; end $$`))
    await post(
      q(`create trigger t before insert on ${name}_now for each row execute function steal_${name}()`),
    )
    await post(
      q(`create constraint trigger t after insert on ${name}_late deferrable initially deferred
        for each row execute function steal_${name}()`),
    )
  }
  await setup.close()
}, 60_000)

afterAll(() => postgres.remove())

const own = (queries: ReturnType<typeof q>[], headers = OWN) => post({ queries }, { headers })

/** What the victim asks, twice, so that both of its texts have names before the attack. */
async function whoAmI(): Promise<unknown> {
  const { json } = await own([SETTINGS, WHO], READ_ONLY)
  return json.results?.[1]?.rows[0]?.[0] ?? json
}

beforeEach(async () => {
  gateway = await startTestGateway(postgres, { limits: { ownPoolSize: 1, callerPoolSize: 1 } })
  post = makePost(gateway, postgres.url())
  for (let i = 0; i < 2; i++) expect(await whoAmI()).toBe('low')
})

afterEach(() => gateway.close())

describe.each(Object.keys(TRIGGERS))("a replaced name of Quoin's own (%s)", kind => {
  it.each([
    ['a trigger', [q(`insert into ${kind}_now values ($1)`, [1])], OWN],
    ['a trigger at COMMIT', [q(`insert into ${kind}_late values ($1)`, [1])], OWN],
    ['a function that only reads', [q(`select read_${kind}()`)], READ_ONLY],
    ['a function of a batch that failed', [q(`select read_${kind}()`), q('select 1 / 0')], READ_ONLY],
    ['a function of a writing batch that failed', [q(`select read_${kind}()`), q('select 1 / 0')], OWN],
  ])('is never run for the next caller, when %s replaced it', async (_what, attack, headers) => {
    await own([SETTINGS, ...attack], headers)
    expect(await whoAmI()).toBe('low')
    expect(await whoAmI()).toBe('low')
    expect((await own([WHO], READ_ONLY)).json.results[0].rows).toEqual([['app', '1']])
  })

  it('is never run for the next caller, when a single statement replaced it', async () => {
    await post(q(`select read_${kind}()`), { headers: OWN })
    expect(await whoAmI()).toBe('low')
  })
})

it('ends a dry run with its own end, whatever a trigger put under names', async () => {
  await post(q('create table dry (id int)'))
  await post(
    q(`create function keep_dry() returns trigger language plpgsql as $$ declare stolen text; begin
      for stolen in select name from pg_prepared_statements where statement like 'rollback%' loop
        execute format('deallocate %I', stolen);
        execute format('prepare %I as select 1', stolen);
      end loop; return new; end $$`),
  )
  await post(q('create trigger t before insert on dry for each row execute function keep_dry()'))
  const dryRun = [q('savepoint dry'), q('insert into dry values (1)'), q('rollback to savepoint dry')]
  for (let i = 0; i < 3; i++) expect((await own(dryRun)).status).toBe(200)
  expect((await post(q('select count(*) from dry'))).json.rows).toEqual([['0']])
})

it('does not say that it committed where a trigger replaced COMMIT', async () => {
  for (let i = 0; i < 2; i++) await own([q('delete from ends_now')])
  const { status, json } = await own([q('insert into ends_now values (1)')])
  expect([status, json.code]).toEqual([400, '2D000'])
  expect((await post(q('select count(*) from ends_now'))).json.rows).toEqual([['0']])
})

it('keeps its connection and names while nobody replaces one', async () => {
  const pid = q('select pg_backend_pid() -- kept')
  const before = (await own([pid])).json.results[0].rows
  await own([SETTINGS, WHO], READ_ONLY)
  expect((await own([pid])).json.results[0].rows).toEqual(before)
})
