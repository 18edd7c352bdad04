// What must not keep the advisor from answering: views that sleep, locks, changes of the schema meanwhile, many tables.

import { type AddressInfo, createServer } from 'node:net'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { CHECKS } from '../../../src/features/advisor/checks/all.ts'
import { Advice, LEVELS } from '../../../src/features/advisor/schemas.ts'
import { makeKey } from '../../support/keys.ts'
import { asAdmin, memberOutcome } from '../dashboard/caller.ts'
import { type AdvisedDatabase, adviseDatabase } from './database.ts'

let database: AdvisedDatabase

beforeAll(async () => {
  database = await adviseDatabase()
})
afterAll(() => database?.[Symbol.asyncDispose]())

const makeSchema = (name: string) =>
  database.run(`create schema ${name}; grant usage on schema ${name} to anon; set search_path = ${name}`)

/** By the name of the object. */
const readingsOf = ({ findings }: Advice) =>
  Object.fromEntries(
    findings.flatMap(({ object, reading }) => (reading === null ? [] : [[object.name, reading]])),
  )

it('tries each relation by itself, whatever the others do', async () => {
  await makeSchema('tries')
  // A server that takes connections and never says a word.
  const silent = createServer()
  await new Promise<void>(resolve => silent.listen(0, '127.0.0.1', resolve))
  const { port } = silent.address() as AddressInfo
  await database.runAsSuperuser('create extension dblink schema tries')
  await database.run(`
    create table notes (id int primary key); alter table notes enable row level security;
    create table held (id int primary key); alter table held enable row level security; insert into held values (1);
    create table empty (id int primary key);
    create sequence numbers; grant usage on sequence numbers to anon;
    create function as_service() returns int language sql as $$
      select 1 from (select set_config('role', 'service_role', true), set_config('statement_timeout', '0', true),
        set_config('request.method', 'POST', true), set_config('search_path', 'elsewhere', true),
        set_config('row_security', 'off', true), set_config('app.opened', 'yes', false)) s $$;
    create function closed() returns int language sql as 'select 1';
    grant execute on function as_service() to anon; grant execute on function closed() to service_role;
    create function reads_dropped() returns int language plpgsql as
      'begin return (select id from tries.dropped); end';
    create function knows_advisor() returns int language plpgsql as $$ begin
      if current_setting('application_name') = 'quoin:advisor' then raise undefined_table; end if; return 1; end $$;
    grant execute on function reads_dropped(), knows_advisor() to anon;
    create view asleep as select id, pg_sleep(30)::text from held;
    create view changes_role as select id, tries.as_service() from held;
    create view checks_settings as select id from held where current_setting('app.opened', true) = 'yes'
      or current_setting('request.method') = 'POST' or current_setting('search_path') = 'elsewhere'
      or current_setting('row_security') = 'off';
    create view connects_back as
      select id, (select x from tries.dblink('host=127.0.0.1 user=quoin_owner', 'select 1') as t(x int)) from held;
    create view dials as select id,
      (select x from tries.dblink('hostaddr=127.0.0.1 port=${port} user=u password=p', 'select 1') as t(x int))
      from held;
    create view divides as select 1 / (id - 1) as id from held where 1 / (id - 1) > 0;
    create view good as select id from held;
    create view hides as select id, tries.knows_advisor() from held;
    create view names_dropped as select id, tries.reads_dropped() from held;
    create view nothing as select id from notes;
    create view refused as select id, tries.closed() from held where tries.closed() = 1;
    create view sleeps as select id, pg_sleep(30)::text from held;
    create view writes as select id, nextval('tries.numbers') from held;
    create table locked (id int primary key);
    grant select on asleep, changes_role, checks_settings, connects_back, dials, divides, empty, good, hides, locked,
      names_dropped, nothing, refused, sleeps, writes to anon`)
  await using holder = await database.connect()
  await holder.query('begin; lock table tries.locked')
  const advice = await database.advise('tries')
  silent.close()
  expect(readingsOf(advice)).toEqual({
    asleep: 'timed_out',
    changes_role: 'rows',
    connects_back: 'failed',
    dials: 'timed_out',
    divides: 'failed',
    empty: 'no_rows',
    good: 'rows',
    hides: 'rows',
    locked: 'locked',
    names_dropped: 'failed',
    nothing: 'no_rows',
    refused: 'failed',
    sleeps: 'timed_out',
    writes: 'failed',
  })
  expect(advice).toMatchObject({ tried: 15, not_tried: 0, complete: true })
})

it('does not fail by changes of the schema meanwhile', async () => {
  await makeSchema('changing')
  await database.run('create table stays (id int)')
  await using other = await database.connect()
  let isOver = false
  const change = async () => {
    while (!isOver)
      await other
        .query(`
        create table changing.passes (id serial primary key, secret text); create index on changing.passes (secret);
        alter table changing.passes enable row level security; create policy p on changing.passes using (true);
        create view changing.shown as select id from changing.passes;
        grant select on changing.passes, changing.shown to anon;`)
        .then(() => other.query('drop table changing.passes cascade'))
  }
  const changing = change()
  for (let times = 0; times < 20; times++) {
    const { findings } = await database.advise('changing')
    expect(findings.map(({ key }) => key)).toContain('no_primary_key:"changing"."stays"')
  }
  isOver = true
  await changing
})

it('lists the hundred largest findings of a check, and counts the others', async () => {
  await makeSchema('several')
  await database.run(
    `do $$ begin for i in 1..101 loop execute format('create table several.t%s (id int)', i); end loop; end $$;
     insert into several.t57 select generate_series(1, 10000)`,
  )
  const { findings, checks, complete } = await database.advise('several')
  expect(complete).toBe(false)
  expect(findings).toHaveLength(100)
  expect(findings[0]?.object.name).toBe('t57')
  expect(checks.find(({ id }) => id === 'no_primary_key')).toMatchObject({ found: 101, listed: 100 })
})

it('answers beside tables with very many columns and long indexes', async () => {
  await makeSchema('crowded')
  await database.run(`
    do $$ begin
      execute (select 'create table wide (' || string_agg(
        case when i % 3 = 0 then format('password_%s_secret text', i) else format('%s_%s text', repeat('c', 55), i) end,
        ',') || ')' from generate_series(1, 1500) i);
      create table long (id int primary key, body text, of_other int);
      for i in 0..700 loop
        execute format('create index on long ((body || %L)) where body <> %L',
          repeat('x', 5000) || greatest(i, 1), greatest(i, 1));
      end loop;
    end $$;
    create table small (id int primary key, secret text); grant select on wide, small to anon`)
  const { findings, checks } = await database.advise('crowded')
  const secrets = findings.filter(({ check }) => check === 'secret_column_readable')
  expect(secrets.map(({ object }) => object.name)).toContain('small')
  expect(secrets.find(({ object }) => object.name === 'wide')).toMatchObject({ sql: null })
  expect(checks.find(({ id }) => id === 'secret_column_readable')).toMatchObject({ found: 501, listed: 100 })
  expect(checks.find(({ id }) => id === 'duplicate_index')).toMatchObject({ found: 1 })
})

it('answers a service_role key and an administrator, and nobody else', async () => {
  const { base_url: url } = inject('stack')
  const { key } = await makeKey('service_role')
  const withKey = await fetch(`${url}/v1/database/advisor`, { headers: { apikey: key } })
  const advice = Advice.strict().parse(await withKey.json())
  const ranks = advice.findings.map(({ level }) => LEVELS.indexOf(level))
  expect(ranks).toEqual(ranks.toSorted())
  expect(new Set(advice.findings.map(each => each.key)).size).toBe(advice.findings.length)
  expect(Advice.parse((await asAdmin('GET', '/api/database/advisor')).json).checks).toHaveLength(
    CHECKS.length,
  )
  expect(await memberOutcome('GET', '/api/database/advisor')).toEqual([403, 'admin_required'])
})
