// POST /api/database/try-as over HTTP, on tables of its own: whose rows they are, which policies let each pass, and
// what a query that means harm gets.

import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { TryAsResponse } from '../../../src/features/try-as/schemas.ts'
import { asOwner, freshPrefix } from '../data-api/caller.ts'
import { asAdmin, auditLogs, memberOutcome } from './caller.ts'

const stack = inject('stack')
const p = freshPrefix()
const functions = ['cancel', 'sets', 'claim', 'is_member', 'fail', 'wait', 'write', 'rise'].map(
  name => `${p}_${name}`,
)
const odd = `"${p} %s ""x"""`

beforeAll(() =>
  asOwner(`
    create table ${p}_teams (id int primary key, name text);
    create table ${p}_members (team int references ${p}_teams, person text);
    create table ${p}_notes (id int primary key, team int, owner text, is_open bool default false, k text);
    insert into ${p}_teams values (1, 'a'), (2, 'b');
    insert into ${p}_members values (1, 'ada');
    insert into ${p}_notes values (1, 1, 'bob', false), (2, 2, 'ada', false), (3, 2, 'bob', true), (4, 2, 'bob', false);
    alter table ${p}_notes enable row level security;
    alter table ${p}_members enable row level security;
    create policy seen on ${p}_members using (person = quoin.uid());
    create policy own on ${p}_notes for select using (owner = quoin.uid());
    create policy shared on ${p}_notes using (is_open);
    create policy "the ""team""" on ${p}_notes for select to anon
      using (exists (select from ${p}_members m where m.team = ${p}_notes.team and m.person = quoin.uid()));
    create policy small on ${p}_notes as restrictive for select using (id < 100);
    create policy others on ${p}_notes for select to service_role using (true);
    create view ${p}_view as select * from ${p}_notes;
    create table ${p}_columns (id int, secret text);
    insert into ${p}_columns values (1, 'x');
    alter table ${p}_columns enable row level security;
    create policy open on ${p}_columns using (secret = 'x');
    create table ${p}_open (id int);
    insert into ${p}_open select generate_series(1, 150);
    create table ${p}_fails (id int);
    insert into ${p}_fails values (1);
    create function ${p}_fail() returns bool language plpgsql as $$ begin raise 'not today'; end $$;
    create function ${p}_wait() returns bool language sql as 'select pg_sleep(20) is not null';
    create function ${p}_is_member() returns bool language plpgsql stable as
      $$ begin return exists (select from ${p}_members where person = quoin.uid()); end $$;
    create table ${p}_calls (id int);
    insert into ${p}_calls values (1);
    alter table ${p}_calls enable row level security;
    create policy of_members on ${p}_calls using (${p}_is_member());
    grant select on ${p}_calls to anon;
    create function ${p}_cancel() returns bool language plpgsql as $$ begin
      perform set_config('app.left', 'x', true);
      raise query_canceled using message = 'by itself';
    end $$;
    create function ${p}_sets() returns text language sql as $$ select set_config('request.headers', '{}', true)
      || set_config('request.method', 'GET', true) || set_config('app.x', 'x', true)
      || set_config('search_path', '', true) || set_config('extra_float_digits', '-15', true)
      || set_config('quoin.tried_table', '1259', true) $$;
    create table ${p}_settings (id int, half float8);
    insert into ${p}_settings values (1, 0.123456789);
    alter table ${p}_settings enable row level security;
    create policy a_cancels on ${p}_settings using (${p}_cancel());
    create policy b_request on ${p}_settings using (current_setting('request.method') = 'POST'
      and current_setting('request.headers')::json->>'content-type' is not null);
    create policy c_unset on ${p}_settings using (coalesce(current_setting('app.x', true), '') = ''
      and coalesce(current_setting('app.left', true), '') = '' and half::text = '0.123456789');
    create policy d_ours on ${p}_settings using (coalesce(current_setting('quoin.tried_rows', true), '') = ''
      and coalesce(current_setting('quoin.tried_table', true), '') = '');
    create policy e_shown on ${p}_settings using (true);
    create view ${p}_places as select tableoid, ctid, id from ${p}_notes;
    grant select on ${p}_settings, ${p}_places to anon;
    create function ${p}_write() returns int language sql as 'insert into ${p}_open values (0) returning 1';
    create function ${p}_rise() returns text language sql as $$ select set_config('role', 'service_role', true) $$;
    create function ${p}_claim() returns text language sql as $$
      select set_config('request.jwt.claims', '{"sub":"bob","role":"anon"}', true) $$;
    create table ${odd} (id int, quoin_place int, k text) partition by range (id);
    create table ${p}_low partition of ${odd} for values from (0) to (10);
    create table ${p}_high partition of ${odd} for values from (10) to (20);
    insert into ${odd} values (1, 1, '%I'), (11, 2, 'ada');
    alter table ${odd} enable row level security;
    create policy "low %s" on ${odd} using (k like '%I' and quoin_place = 1);
    create policy own on ${odd} using (exists (select from ${p}_members k where k.person = ${odd}.k));
    grant select on ${odd} to anon;
    create schema ${p};
    create table ${p}.k (id int);
    insert into ${p}.k values (1);
    alter table ${p}.k enable row level security;
    create policy short on ${p}.k using (k.id = 1);
    grant usage on schema ${p} to anon;
    grant select on ${p}.k to anon;
    alter table ${p}_fails enable row level security;
    create policy a_open on ${p}_fails using (id > 0);
    create policy b_fails on ${p}_fails using (${p}_fail());
    create policy c_waits on ${p}_fails using (${p}_wait());
    create policy d_late on ${p}_fails using (true);
    grant select on ${p}_notes, ${p}_members, ${p}_view, ${p}_open, ${p}_fails to anon;
    grant select (id) on ${p}_columns to anon;
    grant execute on function ${functions} to anon;
    grant insert on ${p}_open to anon`),
)

afterAll(() =>
  asOwner(`drop table ${odd}, ${p}_notes, ${p}_members, ${p}_teams, ${p}_columns, ${p}_open, ${p}_fails, ${p}_calls,
      ${p}_settings cascade;
    drop schema ${p} cascade;
    drop function ${functions}`),
)

const send = (sql: string, as: object = { kind: 'anon' }) =>
  asAdmin('POST', '/api/database/try-as', { body: { sql, as } })
const ada = { kind: 'claims', claims: { sub: 'ada', role: 'service_role' } }

async function tried(sql: string, as?: object) {
  const answer = await send(sql, as)
  expect(answer.status, answer.text).toBe(200)
  return TryAsResponse.strict().parse(answer.json)
}

async function refused(sql: string) {
  const { status, json } = await send(sql)
  return [status, json.code]
}

describe('POST /api/database/try-as', () => {
  it('shows the rows that a person sees, each with the policies that hold for it', async () => {
    const { result, ...facts } = await tried(`select id from ${p}_notes n order by n.id`, ada)
    expect(result.rows).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }])
    expect(facts).toMatchObject({
      claims: { sub: 'ada', role: 'anon' },
      marks: 'made',
      table: { schema: 'public', table: `${p}_notes` },
      row_policies: [
        ['small', 'the "team"'],
        ['own', 'small'],
        ['shared', 'small'],
      ],
    })
    expect(facts.policies.map(({ name, permissive, error }) => [name, permissive, error])).toEqual([
      ['own', true, null],
      ['shared', true, null],
      ['small', false, null],
      ['the "team"', true, null],
    ])
  })

  it('shows what a key alone sees, and says where no policy decides', async () => {
    const notes = await tried(`select * from ${p}_notes`)
    expect([notes.result.rows.length, notes.claims, notes.row_policies]).toEqual([
      1,
      { role: 'anon' },
      [['shared', 'small']],
    ])
    const open = await tried(`select *, 'é' as "ü" from public.${p}_open where id > 0`)
    expect(open).toMatchObject({ marks: 'no_row_level_security', policies: [], row_policies: [] })
    expect([open.result.rows.length, open.result.truncated]).toEqual([100, true])
  })

  it('knows rows of partitions apart, whatever names there are', async () => {
    const { result, row_policies } = await tried(`select id from ${odd} order by id`, ada)
    expect([result.rows, row_policies]).toEqual([
      [{ id: 1 }, { id: 11 }],
      [['low %s'], ['own']],
    ])
    expect((await tried(`select id from ${p}.k`)).row_policies).toEqual([['short']])
  })

  it('asks policies whose functions find names by the search path', async () => {
    const { policies, row_policies } = await tried(`select id from ${p}_calls`, ada)
    expect([policies.map(({ error }) => error), row_policies]).toEqual([[null], [['of_members']]])
  })

  it('asks each policy under the settings of a call that begins', async () => {
    const { policies, row_policies } = await tried(`select id from ${p}_settings where ${p}_sets() <> ''`)
    expect(policies.map(({ error }) => error)).toEqual([
      { code: '57014', message: 'by itself' },
      null,
      null,
      null,
      null,
    ])
    expect(row_policies).toEqual([['b_request', 'c_unset', 'd_ours', 'e_shown']])
  })

  it('takes the claims of a person as their tokens have them', async () => {
    const { claims, result } = await tried('select quoin.uid() as uid, current_user as role', {
      kind: 'identity',
      identity_id: stack.user_identity_id,
    })
    expect(claims).toMatchObject({ sub: stack.user_identity_id, role: 'anon', scp: ['openid'], ext: {} })
    expect(result.rows).toEqual([{ uid: stack.user_identity_id, role: 'anon' }])
    const nobody = { kind: 'identity', identity_id: '00000000-0000-4000-8000-000000000000' }
    expect((await send('select 1', nobody)).status).toBe(404)
  })

  it('shows rows without policies where they cannot be told apart', async () => {
    const marksOf = async (sql: string) => {
      const { marks, result, row_policies } = await tried(sql)
      expect([result.rows.length, row_policies]).toEqual([1, []])
      return marks
    }
    expect(await marksOf(`select count(*) from ${p}_notes`)).toBe('not_one_table')
    expect(await marksOf(`select id from ${p}_notes group by id`)).toBe('not_one_table')
    expect(await marksOf(`select id from ${p}_view where id = 1`)).toBe('not_one_table')
    expect(await marksOf(`select id from ${p}_places where id = 3`)).toBe('not_one_table')
    expect(await marksOf(`with x as (select 1) select * from x`)).toBe('not_one_table')
    expect(await marksOf(`select id from ${p}_columns`)).toBe('columns_only')
  })

  it('says which policy could not be evaluated, and shows the others and the rows', async () => {
    const { marks, policies, row_policies, result } = await tried(`select * from ${p}_fails`)
    expect([marks, result.rows, row_policies]).toEqual(['made', [{ id: 1 }], [['a_open']]])
    expect(policies.map(({ error }) => error)).toEqual([
      null,
      { code: 'P0001', message: 'not today' },
      { code: '57014', message: 'There was no time left for it.' },
      { code: '57014', message: 'There was no time left for it.' },
    ])
  })

  it.each([
    ['a statement that sleeps', 'select pg_sleep(30)', [504, '57014']],
    ['a table that it may not read', `select * from ${p}_teams`, [403, '42501']],
    ['a write', `insert into ${p}_open values (1)`, [400, 'statement_not_allowed']],
    [
      'a write in a part',
      `with x as (delete from ${p}_open returning 1) table x`,
      [400, 'statement_not_allowed'],
    ],
    ['a write by a function', `select ${p}_write() from ${p}_notes`, [405, '25006']],
    ['a lock', `select * from ${p}_open for update`, [405, '25006']],
    ['two statements', 'select 1; select 2', [400, 'statement_not_allowed']],
    [
      'another role for a while',
      "select set_config('role', 'service_role', true), set_config('role', 'anon', true)",
      [400, 'statement_not_allowed'],
    ],
    ['other claims by a function', `select ${p}_claim() from ${p}_notes`, [400, 'statement_not_allowed']],
    ['another role by a function', `select ${p}_rise() from ${p}_notes`, [400, 'statement_not_allowed']],
    [
      'a setting that lets writes pass',
      "select set_config('transaction_read_only', 'off', true)",
      [400, 'statement_not_allowed'],
    ],
  ])('refuses %s', async (_, sql, expected) => {
    expect(await refused(sql)).toEqual(expected)
  })

  it('is in the audit log, with the claims', async () => {
    const { headers } = await send(`select id from ${p}_notes`, ada)
    const entries = await auditLogs({ request_id: headers.get('x-request-id') ?? '' })
    expect(entries).toMatchObject([
      {
        action: 'database.try_as',
        target_kind: 'sql',
        outcome: 'succeeded',
        before: { sql: `select id from ${p}_notes`, claims: { sub: 'ada', role: 'anon' } },
        after: { command: 'SELECT', row_count: 3 },
      },
    ])
  })

  it('is not for members', async () => {
    expect(await memberOutcome('POST', '/api/database/try-as')).toEqual([403, 'admin_required'])
  })
})
