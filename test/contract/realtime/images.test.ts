// Sight by images is what `select` shows: for odd tables, types and policies, through the gateway.

import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { askSight } from '../../../src/features/realtime/sight/ask-sight.ts'
import { type Caller, type RealtimeDatabase, realtimeDatabase } from './database.ts'

let db: RealtimeDatabase

beforeAll(async () => {
  db = await realtimeDatabase()
  await db.run(`
    create function claim(name text) returns text language sql stable
      as $$ select current_setting('request.jwt.claims', true)::json ->> name $$;
    grant execute on function claim(text) to anon, service_role;
    create table members (room text, who text);
    insert into members values ('a', 'ann'), ('b', 'bob'), ('a', 'bob');
    grant select on members to anon;
    create table notes (id int primary key, room text, image text, n numeric, i int, public bool, tags text[],
      data jsonb);
    alter table notes enable row level security;
    grant select on notes to anon;
    grant select on notes to service_role;
    insert into notes select g, chr(97 + g % 3), 'i' || g, g * 1.10, g, g % 2 = 0, array['t' || g % 4],
      jsonb_build_object('k', g % 5) from generate_series(1, 12) g;
    insert into notes (id) values (13)`)
})
afterAll(async () => {
  await db?.[Symbol.asyncDispose]()
})

const ANN: Caller = { role: 'anon', claims: { sub: 'ann', room: 'a' } }
const BOB: Caller = { role: 'anon', claims: { sub: 'bob', room: 'b' } }
const NOBODY: Caller = { role: 'anon', claims: {} }
const SERVICE: Caller = { role: 'service_role', claims: {} }
const CALLERS = [ANN, BOB, NOBODY, SERVICE]

/** Every caller sees by images what `select` shows. */
async function expectEqual(table: string, callers: readonly Caller[] = CALLERS): Promise<void> {
  const { seen: answers, tables } = await db.sight(table, callers)
  expect(tables[0]?.fits).toBe(true)
  for (const [index, caller] of callers.entries()) {
    const rows = await db.asCaller<{ id: number }>(caller, `select id from ${table} order by id`)
    const seen = await db.idsSeen(table, answers[index])
    expect({ caller, seen }).toEqual({ caller, seen: rows.map(({ id }) => id) })
  }
}

const CONDITIONS = [
  "room = (select claim('room'))",
  "claim('sub') = 'ann'",
  "exists (select from members m where m.room = notes.room and m.who = claim('sub'))",
  'room in (select room from members)',
  'n > 5.50',
  'i between 3 and 9',
  "image = 'i4'",
  'public',
  "tags && array['t1', 't2']",
  'data @> \'{"k": 2}\'',
  'notes.* is not null',
  "(row_to_json(notes) ->> 'id')::int % 2 = 1",
  'room is null',
  'false',
  "current_user = 'service_role'",
  "coalesce(lower(room), 'x') ~ '^[ax]'",
]

it('is what select shows, whatever the policies', async () => {
  const policy = fc.record({
    condition: fc.constantFrom(...CONDITIONS),
    kind: fc.constantFrom('permissive', 'restrictive'),
    command: fc.constantFrom('all', 'select', 'insert'),
    role: fc.constantFrom('public', 'anon', 'service_role'),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(policy, { maxLength: 4 }), async policies => {
      const made = policies.map(({ condition, kind, command, role }, index) => {
        const clause = command === 'insert' ? 'with check' : 'using'
        return `create policy p${index} on notes as ${kind} for ${command} to ${role} ${clause} (${condition})`
      })
      await db.run(made.join(';'))
      try {
        await expectEqual('notes')
      } finally {
        await db.run(policies.map((_, index) => `drop policy p${index} on notes`).join(';'))
      }
    }),
    { numRuns: 25 },
  )
})

const TABLES: Record<string, { setup: string; table: string }> = {
  'quoted names, and a table named as a column': {
    table: '"my ""T"',
    setup: `create table "my ""T" (id int primary key, "my ""T" text, i int);
      insert into "my ""T" values (1, 'a', 1), (2, 'b', 2);
      create policy p on "my ""T" using ("my ""T" = 'a' and i = 1)`,
  },
  'a table that is called as a word of ours': {
    table: 'i',
    setup: `create table i (id int primary key, n int, image text); insert into i values (1, 1, 'x'), (2, 2, 'y');
      create policy p on i using (n = 2 and image = 'y' and i.id = 2)`,
  },
  'virtual and stored columns': {
    table: 'made',
    setup: `create table made (id int primary key, v int generated always as (id * 2) virtual,
        s int generated always as (id * 3) stored);
      insert into made values (1), (2), (3); create policy p on made using (v > 2 and s < 9)`,
  },
  'domains, enums, composites, bytes and dropped columns': {
    table: 'typed',
    setup: `create domain short as text check (length(value) < 5) not null; create type mood as enum ('ok', 'bad');
      create type pair as (a int, b text);
      create table typed (id int primary key, gone int, d short, m mood, p pair, b bytea, ps pair[], at timestamptz,
        r int4range, x double precision);
      alter table typed drop gone;
      insert into typed values (1, 'a', 'ok', (1, 'x'), '\\x01', array[(1, 'y')::pair], now(), '[1,3)', 0.1),
        (2, 'b', 'bad', (2, 'x'), '\\x02', null, null, '[7,9)', 1e300);
      create policy p on typed using (m = 'ok' and (p).a = 1 and b = '\\x01' and (ps[1]).b = 'y' and r @> 2
        and x = 0.1 and at <= now())`,
  },
  'a partitioned table whose partition has another order': {
    table: 'parted',
    setup: `create table parted (id int primary key, room text) partition by range (id);
      create table parted_1 (room text, id int not null); alter table parted attach partition parted_1
        for values from (0) to (100);
      insert into parted values (1, 'a'), (2, 'b'); create policy p on parted using (room = claim('room'))`,
  },
  'an owner’s own function of a built-in name': {
    table: 'shadowed',
    setup: `create function lower(varchar) returns text language sql immutable as $$ select 'other' $$;
      grant execute on function lower(varchar) to anon, service_role;
      create table shadowed (id int primary key, name varchar); insert into shadowed values (1, 'A'), (2, 'B');
      create policy p on shadowed using (lower(name::text) = 'a')`,
  },
}

it.each(Object.entries(TABLES))('is what select shows of %s', async (_, { setup, table }) => {
  await db.run(
    `${setup}; alter table ${table} enable row level security; grant select on ${table} to anon, service_role`,
  )
  await expectEqual(table)
  // The cases are such that somebody sees some rows, and not all.
  const { seen } = await db.sight(table, [ANN])
  expect(Array.isArray(seen[0]) && seen[0].length).toBe(1)
})

it('is everything without row-level security, and nothing without a right', async () => {
  await db.run(`create table bare (id int primary key); insert into bare values (1);
    create table closed (id int primary key); insert into closed values (1); revoke all on closed from anon;
    create schema hidden; create table hidden.t (id int primary key); insert into hidden.t values (1);
    grant select on hidden.t to anon; grant select on bare to anon`)
  expect((await db.sight('bare', [ANN])).seen).toEqual(['all'])
  expect((await db.sight('closed', [ANN])).seen).toEqual([[]])
  expect((await db.sight('hidden.t', [ANN])).seen).toEqual([[]])
})

it('fails for one class alone, and lets nothing that its policies set reach the next', async () => {
  await db.run(`
    create function sets() returns bool language plpgsql as $$ begin
      if claim('sub') = 'bob' then raise exception 'not bob' using errcode = 'P0099'; end if;
      if current_setting('test.left', true) <> '' then return false; end if;
      perform set_config('test.left', 'x', false), set_config('request.jwt.claims', '{"sub":"root"}', false);
      return true;
    end $$;
    grant execute on function sets() to anon;
    create table setting (id int primary key); insert into setting values (1); grant select on setting to anon;
    alter table setting enable row level security; create policy p on setting using (sets())`)
  const { seen } = await db.sight('setting', [ANN, BOB, NOBODY])
  expect(seen).toEqual([[0], { code: 'P0099', message: 'not bob' }, [0]])
})

it('says of claims that change with each token which a policy may read', async () => {
  await db.run(`
    create function fresh() returns bool language sql stable as $$ select claim('auth_time') is not null $$;
    create table by_claim (id int primary key); alter table by_claim enable row level security;
    create policy p on by_claim using (claim('exp') is not null);
    create table by_function (id int primary key); alter table by_function enable row level security;
    create policy p on by_function using (fresh());
    create table by_none (id int primary key); alter table by_none enable row level security;
    create policy p on by_none using (id > 0)`)
  const claimsRead = async (table: string) => (await db.sight(table, [])).tables[0]?.claimsRead
  expect(await claimsRead('by_claim')).toContain('exp')
  expect(await claimsRead('by_function')).toContain('auth_time')
  expect(await claimsRead('by_none')).toEqual([])
})

it('is not judged where an image has other columns than the table, and gone tables are null', async () => {
  await db.run('create table fit (id int primary key, a int); grant select on fit to anon')
  const tableId = await db.idOf('fit')
  const asked = (images: string[], id = tableId) =>
    askSight(
      db.deps,
      { tables: [{ tableId: id, images }], asked: [] },
      { timeoutMs: 5_000, share: 'test/sight' },
    )
  expect((await asked(['{"id":1,"a":2}'])).tables[0]?.fits).toBe(true)
  expect((await asked(['{"id":1}'])).tables[0]?.fits).toBe(false)
  expect((await asked(['{"id":1,"a":2,"b":3}'])).tables[0]?.fits).toBe(false)
  expect((await asked(['{}'], 4_000_000_000)).tables).toEqual([null])
})

it('lets filters through by their parameters', async () => {
  const tableId = await db.idOf('notes')
  const filter = {
    tableId,
    role: 'service_role' as const,
    claims: '{}',
    filter: { sql: '"notes"."i" = ($2)[1]::int4', params: ['4'] },
  }
  const { seen } = await askSight(
    db.deps,
    {
      tables: [{ tableId, images: await db.imagesOf('notes') }],
      asked: [filter, { ...filter, filter: { ...filter.filter, params: ['x'] } }],
    },
    { timeoutMs: 5_000, share: 'test/sight' },
  )
  expect(seen).toEqual([[3], { code: '22P02', message: expect.stringContaining('integer') }])
})
