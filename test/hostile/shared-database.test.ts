/**
 * What one key can do to others that share its database connections: leave something in them, or take all of them.
 * Through the Worker; the gateway's own tests (`gateway/`) have the cases one by one.
 */
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { asOwner, freshPrefix, makeDbCaller } from '../contract/data-api/caller.ts'
import { makeSqlCaller, type SqlCaller } from '../contract/sql/caller.ts'
import { makeKey } from '../support/keys.ts'

const PREFIX = freshPrefix()
const [SECRET, BAIT, SLOW, LARGE, NEWS] = ['secret', 'bait', 'slow', 'large', 'news'].map(
  name => `${PREFIX}_${name}`,
)
const STEAL = `${PREFIX}_steal`

let service: SqlCaller

beforeAll(async () => {
  service = await makeSqlCaller()
  await asOwner(`
    create table public.${SECRET} (id int);
    insert into public.${SECRET} values (1);
    alter table public.${SECRET} enable row level security;
    create table public.${SLOW} as select repeat('a', 199) as text;
    create table public.${LARGE} as select id, repeat('x', 1000000) as text from generate_series(1, 20) id;
    create function public.${NEWS}_opening() returns timestamptz language plpgsql stable as
      $$ begin return '2026-01-01 12:00'::timestamptz; end $$;
    grant execute on function public.${NEWS}_opening() to anon;
    create table public.${NEWS} as select 'open' as title, current_date as publish_on
      union all select 'embargoed', current_date + 2;
    alter table public.${NEWS} enable row level security;
    create policy open on public.${NEWS} for select
      using (publish_on <= current_date and public.${NEWS}_opening() = timestamptz '2026-01-01 12:00Z');
    grant select on public.${SECRET}, public.${SLOW}, public.${NEWS} to anon;
    grant delete, select on public.${LARGE} to service_role`)
})

afterAll(async () => {
  await service.sql(`drop table if exists ${BAIT}`)
  await service.sql(`drop function if exists ${STEAL}`)
  await asOwner(`drop table if exists public.${SECRET}, public.${SLOW}, public.${LARGE}, public.${NEWS};
    drop function if exists public.${NEWS}_opening()`)
})

// The attack: a trigger puts a text of its own under the name of the statement that sets role and claims.
it("shows no anon key more rows after a trigger has replaced the names of Quoin's statements", async () => {
  const anon = await makeDbCaller('anon')
  const insert = await makeDbCaller('service_role')
  const setUp = [
    `create or replace function ${STEAL}() returns trigger language plpgsql as $$
    declare stolen text; text text; begin
    for stolen, text in select name, statement from pg_prepared_statements where statement like '%set_config%role%' loop
      execute format('deallocate %I', stolen);
      begin
        execute format('prepare %I(text,text,text,text,text,text,text,text) as %s', stolen,
          replace(text, quote_literal('role') || ',$2', quote_literal('role') || ',coalesce(''service_role'',$2)'));
      exception when others then null; -- a statement of another test, with parameters of other types
      end;
    end loop; return new; end $$`,
    `create table if not exists ${BAIT} (id int)`,
    `create or replace trigger steal before insert on ${BAIT} for each row execute function ${STEAL}()`,
  ]
  // Tests beside this one change schemas too: Postgres may ask for another try.
  for (const sql of setUp) await expect.poll(async () => (await service.sql(sql)).text).toContain('"rows"')
  for (let i = 0; i < 20; i++) {
    expect((await anon(SECRET ?? '')).body).toEqual([])
    expect(await insert(BAIT ?? '', { method: 'POST', body: { id: i } })).toMatchObject({ status: 201 })
  }
  const seen = await Promise.all(Array.from({ length: 20 }, () => anon(SECRET ?? '')))
  expect(new Set(seen.map(({ text }) => text))).toEqual(new Set(['[]']))
})

// The attack: filters whose pattern takes the database for ever, as many as one public key may send.
it('ends the slow filters of an anon key, and serves other keys meanwhile', async () => {
  const { base_url } = inject('stack')
  const { key } = await makeKey('anon')
  // No odd length is twice a sum, which the matcher finds out by trying all of them.
  const pattern = encodeURIComponent('^(a*)(a*)(a*)(a*)\\1\\2\\3\\4$')
  const attack = () =>
    fetch(`${base_url}/v1/db/${SLOW}?text=match.${pattern}`, { headers: { apikey: key } }).then(answer =>
      answer.json(),
    )
  const other = await makeDbCaller('anon')
  let answers = 0
  const attacks = Array.from({ length: 11 }, () => attack().finally(() => answers++))
  for (let i = 0; i < 5; i++) expect((await other(`${SECRET}?id=eq.1`)).status).toBe(200)
  // All of these while every slow call was still at it.
  expect(answers).toBe(0)
  const ended = Promise.all(attacks)
  const codes = (await ended).map(answer => (answer as { code: string }).code)
  expect(codes).toContain('57014')
  expect(codes.filter(code => code !== '57014' && code !== 'too_many_calls')).toEqual([])
})

// The attack: what is asked for beside the rows takes them off the stream, and parsed they take several times their
// bytes.
it('passes large rows through as a stream, with a time zone and beside an estimate too', async () => {
  const call = await makeDbCaller('service_role')
  const zoned = await call(`${LARGE}?limit=15`, { headers: { prefer: 'timezone=Europe/Paris' } })
  expect([zoned.status, zoned.text.length > 15_000_000]).toEqual([200, true])
  const planned = await call(`${LARGE}?limit=15`, { headers: { prefer: 'count=planned' } })
  expect([planned.status, planned.text.length > 15_000_000]).toEqual([206, true])
})

it('says of a dry run whose answer is too large that nothing was changed', async () => {
  const call = await makeDbCaller('service_role')
  const { status, body } = await call(`${LARGE}?id=gte.0`, {
    method: 'DELETE',
    headers: { prefer: 'tx=rollback' },
  })
  expect({ status, body }).toMatchObject({ status: 400, body: { code: 'response_too_large' } })
  expect(body.error).toContain('Nothing was changed')
  expect((await call(`${LARGE}?select=id`)).body).toHaveLength(20)
})

// The attack: a clock that is a week ahead, and constants of a time that Postgres keeps as the first caller's zone has
// them.
it("moves an anon key's clock by no more than a zone, and other keys' by nothing", async () => {
  const anon = await makeDbCaller('anon')
  const zoned = (zone: string) => anon(NEWS ?? '', { headers: { prefer: `timezone=${zone}` } })
  for (const zone of ['X-167', '167', '+25:00', '<+99>-99']) {
    expect(await zoned(zone)).toMatchObject({ status: 400, body: { code: 'invalid_preference' } })
  }
  for (let i = 0; i < 6; i++) expect((await zoned('Pacific/Kiritimati')).body).toEqual([])
  expect((await zoned('Etc/UTC')).body).toMatchObject([{ title: 'open' }])
  const other = await makeDbCaller('anon')
  const seen = await Promise.all(Array.from({ length: 10 }, () => other(`${NEWS}?select=title`)))
  expect(new Set(seen.map(({ text }) => text))).toEqual(new Set(['[{"title":"open"}]']))
})
