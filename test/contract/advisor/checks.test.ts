// Each check of the advisor on a schema that has its fault: the finding, the finding's SQL run, the finding gone. What
// only looks like the fault stands beside it, and is not found.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { quoteIdentifier } from '../../../src/db/sql.ts'
import { CHECKS } from '../../../src/features/advisor/checks/all.ts'
import { type AdvisedDatabase, adviseDatabase } from './database.ts'

interface Case {
  /** Run in the case's own schema, which anon may use; each a statement or several. */
  fault: readonly string[]
  /** The keys of the findings behind `<check>:"<schema>".`; one unless said. */
  found: string
  sound?: readonly string[]
  /** What only a superuser may make, before everything else. */
  before?: string
  /** When the advisor is asked. */
  daysLater?: number
}

const OWN_ROWS = 'using (owner = (select quoin.uid()))'
const protectedTable = (name: string, policy = `create policy own on ${name} ${OWN_ROWS}`) => `
  create table ${name} (id int primary key, owner text); insert into ${name} values (1, 'a');
  alter table ${name} enable row level security; ${policy}`

const CASES: Readonly<Record<string, Case>> = {
  policies_not_enforced: {
    fault: ['create table "No""tes" (id int primary key); create policy p on "No""tes" using (true)'],
    found: '"No""tes"',
    sound: [protectedTable('kept')],
  },
  anon_writes_without_rls: {
    fault: ['create table notes (id int primary key); grant insert (id) on notes to anon'],
    found: '"notes"',
    sound: [
      'create table closed (id int primary key)',
      `${protectedTable('kept')}; grant all on kept to anon`,
    ],
  },
  secret_column_readable: {
    fault: [
      `create table people (id int primary key, "passwordHash" text, name text);
       insert into people values (1, 'x'); grant select on people to public`,
    ],
    found: '"people"."passwordHash"',
    sound: [
      'create table clients (id int primary key, secret text, name text); grant select (id, name) on clients to anon',
      `create table facts (id int primary key, password_changed_at timestamptz, token_count int, token_type text,
         has_password boolean); grant select on facts to anon`,
      `create table mine (id int primary key, api_key text); insert into mine values (1, 'x');
       alter table mine enable row level security; grant select on mine to anon;
       create policy own on mine using ((select quoin.uid()) = 'a')`,
    ],
  },
  policy_always_true: {
    fault: [
      `${protectedTable('notes', 'create policy "all" on notes using (true)')}; grant select, update on notes to anon`,
    ],
    found: '"notes"."all"',
    sound: [
      `${protectedTable('ungranted', 'create policy p on ungranted using (true)')}; grant select on ungranted to anon`,
      `${protectedTable('narrowed', 'create policy p on narrowed for delete using (true)')};
       create policy other on narrowed as restrictive ${OWN_ROWS}; grant delete on narrowed to anon`,
      `${protectedTable('of_others', 'create policy p on of_others to service_role using (true)')};
       grant all on of_others to anon`,
    ],
  },
  anon_inserts_anything: {
    fault: [
      protectedTable('notes', 'create policy add on notes for insert with check (true)'),
      'grant insert on notes to anon',
    ],
    found: '"notes"."add"',
    sound: [`${protectedTable('kept')}; grant insert on kept to anon`],
  },
  view_bypasses_rls: {
    fault: [
      protectedTable('notes'),
      'create view shown as select id from notes; grant select on shown to anon',
    ],
    found: '"shown"',
    sound: [
      'create view invoker with (security_invoker) as select id from notes; grant select on invoker to anon',
      'create view over as select * from invoker; grant select on over to anon',
      'create view mine as select id from notes where owner = quoin.uid(); grant select on mine to anon',
      'create view ungranted as select id from notes',
      `create table open (id int primary key); create view plain as select * from open; grant select on plain to anon`,
      `${protectedTable('public_notes', 'create policy p on public_notes for select using (true)')};
       create view same as select id from public_notes; grant select on same to anon`,
    ],
  },
  anon_reads_foreign_table: {
    before: 'create foreign data wrapper nothing; grant usage on foreign data wrapper nothing to public',
    fault: [
      'create server nowhere foreign data wrapper nothing; create foreign table far (id int) server nowhere',
      'grant select on far to anon',
    ],
    found: '"far"',
    sound: ['create foreign table closed (id int) server nowhere'],
  },
  anon_reads_without_rls: {
    fault: ['create table notes (id int primary key); grant select on notes to anon'],
    found: '"notes"',
    sound: [
      `${protectedTable('kept')}; grant select on kept to anon`,
      'create table closed (id int primary key)',
    ],
  },
  anon_reads_materialized_view: {
    fault: ['create materialized view numbers as select 1 as n; grant select on numbers to anon'],
    found: '"numbers"',
    sound: ['create materialized view closed as select 1 as n'],
  },
  definer_without_search_path: {
    fault: [`create function f(a int, "b c" text[]) returns int security definer language sql as 'select 1'`],
    found: '"f"(a integer, "b c" text[])',
    sound: [
      `create function fixed() returns int security definer set search_path = '' language sql as 'select 1'`,
      `create function bound() returns int security definer language sql return 1`,
      `create function invoker() returns int language sql as 'select 1'`,
    ],
  },
  definer_open_to_everyone: {
    fault: [
      `create function f() returns int security definer set search_path = '' language sql as 'select 1';
       grant execute on function f() to public`,
    ],
    found: '"f"()',
    sound: [
      `create function member() returns bool security definer set search_path = '' language sql as 'select true';
       grant execute on function member() to public; create table notes (id int primary key);
       create policy p on notes using (member())`,
      `create function closed() returns int security definer set search_path = '' language sql as 'select 1'`,
      `create function fires() returns trigger security definer set search_path = '' language plpgsql as
         'begin return new; end'; grant execute on function fires() to public`,
      `create function invoker() returns int language sql as 'select 1'; grant execute on function invoker() to public`,
    ],
  },
  definer_granted_to_anon: {
    fault: [
      `create function f() returns int security definer set search_path = '' language sql as 'select 1';
       grant execute on function f() to anon`,
    ],
    found: '"f"()',
    sound: [
      `create function closed() returns int security definer set search_path = '' language sql as 'select 1'`,
    ],
  },
  rls_without_policy: {
    fault: [
      'create table notes (id int primary key); alter table notes enable row level security',
      'grant select on notes to anon',
    ],
    found: '"notes"',
    sound: ['create table closed (id int primary key); alter table closed enable row level security'],
  },
  extension_in_exposed_schema: {
    fault: ['create extension citext'],
    found: '"citext"',
  },
  sequence_near_end: {
    fault: [`create table notes (id serial primary key); select setval('notes_id_seq', 1900000000)`],
    found: '"notes_id_seq"."id"',
    sound: [
      `create table wide (id bigint generated always as identity primary key);
       select setval('wide_id_seq', 1900000000)`,
      `create sequence round maxvalue 100 cycle; select setval('round', 90)`,
    ],
  },
  invalid_index: {
    fault: [
      'create table notes (id int primary key, body text)',
      `insert into notes values (1, 'a'), (2, 'a')`,
      'create unique index concurrently twice on notes (body)',
    ],
    found: '"twice"',
    sound: ['create index fine on notes (body)'],
  },
  duplicate_index: {
    fault: [
      'create table notes (id int primary key, body text unique, tag text)',
      'create index body_again on notes (body)',
    ],
    found: '"body_again"',
    sound: [
      'create index other_order on notes (body desc)',
      `create index part on notes (body) where tag = 'x'`,
      'create index pair on notes (body, tag); create index expression on notes (lower(body))',
      'create index hashed on notes using hash (body); create index other_class on notes (body text_pattern_ops)',
    ],
  },
  policy_evaluated_per_row: {
    fault: [
      protectedTable(
        'notes',
        `create policy "o'wn" on notes using (owner = quoin.uid() or owner = 'it''s quoin.uid()')
         with check (owner = current_setting('app.owner', true))`,
      ),
    ],
    found: `"notes"."o'wn"`,
    sound: [
      protectedTable('kept'),
      protectedTable(
        'members',
        `create policy p on members using (exists
        (select from kept k where k.owner = quoin.uid() and k.id = members.id))`,
      ),
      `create function ids() returns int[] stable language sql as $$ select '{1}'::int[] $$;
       ${protectedTable('of_set', 'create policy p on of_set using (id = any (ids()))')}`,
    ],
  },
  foreign_key_without_index: {
    fault: [
      'create table owners (id int, tenant int, name text unique, primary key (id, tenant))',
      'create table notes (id int primary key, o int, t int, foreign key (o, t) references owners)',
    ],
    found: '"notes"."notes_o_t_fkey"',
    sound: [
      'create table swapped (id int primary key, o int, t int, foreign key (o, t) references owners);' +
        'create index on swapped (t, o, id)',
      'create table partial (id int primary key, n text references owners (name));' +
        'create index on partial (n) where n is not null',
      'create table hashed (id int primary key, n text references owners (name))',
      'create index on hashed using hash (n)',
      'create table keyed (n text primary key references owners (name))',
      `create table parts (o int, t int, primary key (o, t), foreign key (o, t) references owners)
         partition by list (t);
       create table part_1 partition of parts for values in (1)`,
    ],
  },
  no_primary_key: {
    fault: ['create table notes (id int, body text)'],
    found: '"notes"',
    sound: [
      'create table parts (id int primary key) partition by list (id); create table part_1 partition of parts default',
      'create view shown as select 1 as one',
    ],
  },
  unused_index: {
    fault: [
      'create table notes (id int primary key, n int); create index slow on notes (n)',
      'insert into notes select i, i from generate_series(1, 60000) i',
    ],
    found: '"slow"',
    sound: [
      `create table owners (id int primary key); create index small on owners (id);
       create table children (id int primary key, o int references owners);
       insert into children select i, null from generate_series(1, 60000) i; create index for_key on children (o)`,
    ],
    daysLater: 8,
  },
  never_analysed: {
    fault: [
      'create table notes (id int primary key, n int) with (autovacuum_enabled = false)',
      'insert into notes select i, i from generate_series(1, 30000) i',
    ],
    found: '"notes"',
    sound: [
      'create table small (id int primary key)',
      `create table known (id int primary key) with (autovacuum_enabled = false);
       insert into known select generate_series(1, 30000); analyze known`,
    ],
  },
  many_dead_rows: {
    fault: [
      `create table notes (id int primary key) with (autovacuum_enabled = false);
       insert into notes select generate_series(1, 12000)`,
      'delete from notes',
      'select pg_stat_force_next_flush()',
    ],
    found: '"notes"',
  },
  multiple_permissive_policies: {
    fault: [
      protectedTable(
        'notes',
        `create policy a on notes for update using (id = 1) with check (owner = 'x');
        create policy b on notes for update using (id = 2)`,
      ),
    ],
    found: '"notes"."a"',
    sound: [
      protectedTable(
        'kept',
        `create policy a on kept ${OWN_ROWS}; create policy b on kept for select using (id = 2)`,
      ),
      protectedTable(
        'split',
        `create policy a on split to anon using (id = 1); create policy b on split to service_role
        using (id = 2)`,
      ),
    ],
  },
}

const DAY_MS = 86_400_000
let database: AdvisedDatabase

beforeAll(async () => {
  database = await adviseDatabase()
})
afterAll(() => database?.[Symbol.asyncDispose]())

it('has a case for every check', () => {
  expect(CHECKS.length).toBeGreaterThanOrEqual(12)
  expect(Object.keys(CASES).toSorted()).toEqual(CHECKS.map(({ id }) => id).toSorted())
})

describe('finds the fault alone, and its SQL mends it', () => {
  it.each(Object.entries(CASES))(
    '%s',
    async (id, { before: first, fault, found, sound = [], daysLater = 0 }) => {
      if (first !== undefined) await database.runAsSuperuser(first)
      // A name of this kind must stay one in whatever the advisor says to run.
      const name = `${id} "; drop table x; --`
      const schema = quoteIdentifier(name)
      await database.run(
        `create schema ${schema}; grant usage on schema ${schema} to anon; set search_path = ${schema}`,
      )
      // One statement at a time where it may fail, as CREATE INDEX CONCURRENTLY does over rows that are twice there.
      for (const sql of [...fault, ...sound])
        await database.run(sql).catch(err => {
          if (err.code !== '23505') throw err
        })
      await database.run('reset search_path')
      const later = () => new Date(Date.now() + daysLater * DAY_MS)
      const findings = async () => {
        const { findings: all, ...advice } = await database.advise(name, later)
        expect(advice).toMatchObject({ not_tried: 0, complete: true })
        return all.filter(({ check }) => check === id)
      }

      const before = await findings()
      expect(before.map(({ key }) => key)).toEqual([`${id}:${schema}.${found}`])
      const { owner, sql } = before[0] ?? {}
      await (owner === 'postgres' ? database.runAsSuperuser : database.run)(sql ?? '')
      expect(await findings()).toEqual([])
    },
  )
})
