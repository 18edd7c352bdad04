// The SQL of a finding, run on schemas that it could do harm to: nobody has more than before.

import { afterAll, beforeAll, expect, it } from 'vitest'
import { type AdvisedDatabase, adviseDatabase } from './database.ts'

let database: AdvisedDatabase

beforeAll(async () => {
  database = await adviseDatabase()
})
afterAll(() => database?.[Symbol.asyncDispose]())

const makeSchema = (name: string) =>
  database.run(`create schema ${name}; grant usage on schema ${name} to anon; set search_path = ${name}`)

/** Runs the SQL of the schema's one finding of the check. */
async function mend(schema: string, check: string): Promise<void> {
  const findings = (await database.advise(schema)).findings.filter(each => each.check === check)
  expect(findings.map(({ object }) => object.schema)).toEqual([schema])
  await database.run(findings[0]?.sql ?? '')
}

const CALLS = [
  'select from notes',
  "update notes set body = 'changed'",
  'delete from notes',
  'insert into notes values (4, 1), (5, 1)',
  'insert into notes values (6, 2)',
]

/** Of each call how many rows anon reaches with it; none where Postgres refuses. */
async function rowsOfAnon(schema: string): Promise<(number | null)[]> {
  await using owner = await database.connect()
  const counts: (number | null)[] = []
  for (const call of CALLS) {
    await owner.query(`begin; set local search_path = ${schema}; set local role anon`)
    const result = await owner.query(call).catch(() => ({ rowCount: 0 }))
    counts.push(result.rowCount)
    await owner.query('rollback')
  }
  return counts
}

it.each([
  ['reading', 'for select to anon', '', 'using (owner = 1)'],
  ['reading_nothing', 'for select to anon', '', ''],
  ['everything', 'to anon', 'with check (owner = 1)', 'using (owner = 1)'],
  ['everything_new', 'to anon', 'with check (owner = 1)', ''],
  ['everything_old', 'to anon', '', 'using (owner = 1)'],
  ['adding', 'for insert to anon', '', 'with check (owner = 1)'],
  ['adding_nothing', 'for insert to anon', '', ''],
  ['deleting', 'for delete to anon', '', 'using (owner = 1)'],
  ['changing', 'for update to anon', 'with check (owner = 2)', 'using (owner = 1)'],
  ['old_and_new', 'for update to anon', 'using (owner = 2)', 'using (owner = 1)'],
])('one policy lets through what several did: %s', async (name, purpose, first, second) => {
  await makeSchema(name)
  const isRead = purpose.includes('select') || purpose === 'to anon'
  await database.run(`
    create table notes (id int primary key, owner int, body text); grant all on notes to anon;
    insert into notes values (1, 1), (2, 2), (3, 3); alter table notes enable row level security;
    create policy a on notes ${purpose} ${first}; create policy b on notes ${purpose} ${second};
    ${isRead ? '' : 'create policy seen on notes for select using (true)'}`)
  const before = await rowsOfAnon(name)
  await mend(name, 'multiple_permissive_policies')
  expect(await rowsOfAnon(name)).toEqual(before)
})

// Of tables that `no_primary_key` finds.
it.each([
  [
    'partitioned',
    'create table notes (id int not null) partition by list (id); create unique index on notes (id)',
  ],
  ['own_class', 'create table notes (id text not null); create unique index on notes (id text_pattern_ops)'],
  ['own_collation', 'create table notes (id text not null); create unique index on notes (id collate "C")'],
  ['plain', 'create table notes (id text not null); create unique index on notes (id)'],
  ['collated', 'create table notes (id text collate "C" not null); create unique index on notes (id)'],
  [
    'hidden',
    'create table notes (id text not null, n int); create unique index on notes (id) nulls not distinct',
  ],
])('makes a primary key of a unique index, or beside it: %s', async (name, sql) => {
  await makeSchema(name)
  await database.run(sql)
  await mend(name, 'no_primary_key')
  const { rows } = await database.run(`select conname from pg_constraint
    where conrelid = '${name}.notes'::regclass and contype = 'p'`)
  expect(rows).toHaveLength(1)
})

it('gives back to each who read a secret what that one could read beside it', async () => {
  await makeSchema('granted')
  await database.run(`
    create table notes (id int primary key, body text, password text); insert into notes values (1);
    grant select on notes to anon; grant select (id, password) on notes to public`)
  await mend('granted', 'secret_column_readable')
  const { rows } = await database.run(`
    select grantee, string_agg(a.attname, ' ' order by a.attnum) as columns
    from unnest(array['anon', 'public']) grantee join pg_attribute a on a.attrelid = 'granted.notes'::regclass
    where a.attnum > 0 and has_column_privilege(grantee, a.attrelid, a.attnum, 'SELECT')
    group by grantee order by grantee`)
  expect(rows).toEqual([
    { grantee: 'anon', columns: 'id body' },
    { grantee: 'public', columns: 'id' },
  ])
})
