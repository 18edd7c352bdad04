import { expect, it } from 'vitest'
import { findFindings } from '../../../src/features/migrations/findings/find-findings.ts'
import type { MigrationFinding } from '../../../src/features/migrations/findings/schemas.ts'
import { splitStatements } from '../../../src/features/migrations/statements/split-statements.ts'
import { StatementReader } from '../../../src/features/sql/statement.ts'
import { loadNodeParser } from '../sql/node-parser.ts'
import { platformWith } from './fake-platform.ts'

const statements = new StatementReader(() => loadNodeParser())
const TABLES = ['t', 'child', 'o', 'p', 'c', 'a', 'b', 'm', 'v', 'seq']

const platform = platformWith(
  ({ schema, name }) =>
    (schema === 'public' && [...TABLES, 'i'].includes(name)) || (schema === 's' && name === 't'),
)

interface Settings {
  runsInTransaction?: boolean
  searchPath?: readonly string[]
}

function fileOf(sql: string, name: string, { runsInTransaction = true }: Settings = {}) {
  const texts = splitStatements(sql).map(({ start, end, line }) => ({ text: sql.slice(start, end), line }))
  return { name, statements: texts, runsInTransaction }
}

function findingsOf(sql: string, settings: Settings = {}): Promise<MigrationFinding[]> {
  const file = fileOf(sql, 'one', settings)
  return findFindings({ sql: { statements }, platform }, [file], settings.searchPath ?? ['public'])
}

/** `table: LOCK MODE`, then what is done meanwhile. */
async function shortOf(sql: string, settings: Settings = {}): Promise<string[]> {
  return (await findingsOf(sql, settings)).map(it => {
    if (!it.analysed) return it.message
    const words = [`${it.table}: ${it.lock}`]
    if (it.rewrites) words.push('copies')
    else if (it.scans) words.push('reads')
    return words.join(', ')
  })
}

const AEL = 'ACCESS EXCLUSIVE'
const T = `public.t: ${AEL}`
const CHILD = `public.child: ${AEL}`

it.each<[string, ...string[]]>([
  // Columns.
  ['alter table s.t add c int', `s.t: ${AEL}`],
  ['alter table t add c int default 1 not null', T],
  ['alter table t add c timestamptz default now()', T],
  ['alter table t add c timestamptz default current_timestamp', T],
  ['alter table t add c int not null', `${T}, reads`],
  ['alter table t add c uuid default gen_random_uuid()', `${T}, copies`],
  ['alter table t add c float default 1 + random()', `${T}, copies`],
  ["alter table t add c text default coalesce(null, lower('A' || random()))", `${T}, copies`],
  ['alter table t add c text default case when true then app.make() end', `${T}, copies`],
  ['alter table t add c app.email', `${T}, copies`],
  ['alter table t add c app.email[]', T],
  ["alter table t add c app.mood default 'happy'", T],
  ['alter table t add c bigserial', `${T}, copies`],
  ['alter table t add c int generated always as identity', `${T}, copies`],
  ['alter table t add c int generated always as (a * 2) stored', `${T}, copies`],
  ['alter table t add c int generated always as (a * 2) virtual', T],
  ['alter table t add c int unique', `${T}, reads`],
  ['alter table t add c int primary key', `${T}, reads`],
  ['alter table t add c int check (c > 0)', `${T}, reads`],
  ['alter table t add c int references o', T, 'public.o: SHARE ROW EXCLUSIVE'],
  ['alter table t add c int default 1 references o', `${T}, reads`, 'public.o: SHARE ROW EXCLUSIVE, reads'],
  ['alter table t drop column c', T],
  ['alter table child drop column c', CHILD],
  ['alter table child drop column c, drop column r', CHILD, `public.o: ${AEL}`],
  ['alter table child alter r type bigint', `${CHILD}, copies`, `public.o: ${AEL}, reads`],
  ['alter table t alter c type bigint', `${T}, copies`],
  ['alter table t alter c type varchar(50)', `${T}, copies`],
  ['alter table t alter c type text using upper(c)', `${T}, copies`],
  ['alter table t alter c set not null', `${T}, reads`],
  ['alter table t alter c drop not null', T],
  ['alter table t alter c set default 1', T],
  ['alter table t alter c set statistics 100'],
  // Constraints.
  ['alter table t add check (a > 0)', `${T}, reads`],
  ['alter table t add constraint k check (a > 0) not valid', T],
  ['alter table t add constraint k not null a not valid', T],
  [
    'alter table t add foreign key (a) references o',
    'public.t: SHARE ROW EXCLUSIVE, reads',
    'public.o: SHARE ROW EXCLUSIVE, reads',
  ],
  [
    'alter table t add foreign key (a) references o not valid',
    'public.t: SHARE ROW EXCLUSIVE',
    'public.o: SHARE ROW EXCLUSIVE',
  ],
  ['alter table t add unique (a)', `${T}, reads`],
  ['alter table t add constraint k unique using index i', T],
  ['alter table t add constraint k primary key using index i', `${T}, reads`],
  ['alter table t add exclude using gist (a with &&)', `${T}, reads`],
  ['alter table t validate constraint k', 'public.t: SHARE UPDATE EXCLUSIVE, reads'],
  ['alter table t drop constraint k', T],
  ['alter table child drop constraint child_r_fkey', CHILD, `public.o: ${AEL}`],
  // The rest of ALTER TABLE and its likes.
  ['alter table t set (fillfactor = 70)'],
  ['alter table t set (user_catalog_table = true)', T],
  ['alter table t disable trigger all', 'public.t: SHARE ROW EXCLUSIVE'],
  ['alter table t enable row level security', T],
  ['alter table t set logged', `${T}, copies`],
  ['alter table t set (fillfactor = 70), add c int', T],
  ['alter table t owner to x', T],
  ['alter table t rename to u', T],
  ['alter table t rename c to d', T],
  ['alter table t set schema s', T],
  ['alter table p attach partition c for values in (1)', `public.c: ${AEL}, reads`],
  ['alter table p detach partition c', `public.p: ${AEL}`, `public.c: ${AEL}`],
  ['alter table c inherit p', `public.c: ${AEL}`],
  ['alter index i rename to j'],
  ['alter index i set tablespace x', `${T}, copies`],
  ['alter view v set (security_invoker = true)', `public.v: ${AEL}`],
  ['alter sequence seq restart', 'public.seq: SHARE ROW EXCLUSIVE'],
  ['alter type mood rename attribute a to b'],
  ['alter type pair add attribute a int'],
  // Indexes.
  ['create index i on t (a)', 'public.t: SHARE, reads'],
  ['create unique index on s.t (a)', 's.t: SHARE, reads'],
  ['drop index i', T],
  ['reindex table t', `${T}, reads`],
  ['reindex index i', `${T}, reads`],
  // What stands on tables.
  ['create trigger x after insert on t execute function f()', 'public.t: SHARE ROW EXCLUSIVE'],
  ['drop trigger x on s.t', `s.t: ${AEL}`],
  ['alter trigger x on t rename to y', T],
  ['create policy x on t', T],
  ['alter policy x on t using (true)', T],
  ['drop policy x on t', T],
  ['create rule r as on insert to t do nothing', T],
  ['drop rule r on t', T],
  // Whole tables.
  ['truncate a, b', `public.a: ${AEL}`, `public.b: ${AEL}`],
  ['drop table a, s.t', `public.a: ${AEL}`, `s.t: ${AEL}`],
  ['drop table child', CHILD, `public.o: ${AEL}`],
  ['drop table o, child', `public.o: ${AEL}`, CHILD],
  ['drop view v', `public.v: ${AEL}`],
  ['create or replace view v as select 1', `public.v: ${AEL}`],
  ['create table n (a int references o)', 'public.o: SHARE ROW EXCLUSIVE'],
  ['create table n (a int, foreign key (a) references o)', 'public.o: SHARE ROW EXCLUSIVE'],
  ['create table n partition of p for values in (1)', `public.p: ${AEL}`],
  ['create table n () inherits (p)'],
  ['create table n (like p)'],
  ['lock table a in share mode', 'public.a: SHARE'],
  ['lock a', `public.a: ${AEL}`],
  ['lock a in row share mode'],
  ['refresh materialized view m', `public.m: ${AEL}, copies`],
  ['refresh materialized view concurrently m', 'public.m: EXCLUSIVE, reads'],
  ['cluster t using i', `${T}, copies`],
  ['alter domain d add check (value > 0)', 'null: SHARE, reads'],
  ['alter domain d add constraint k check (value > 0) not valid'],
  // Rows.
  ['update t set a = 1', 'public.t: ROW EXCLUSIVE, reads'],
  ['delete from t', 'public.t: ROW EXCLUSIVE, reads'],
  ['with x as (delete from t returning *) insert into a select * from x', 'public.t: ROW EXCLUSIVE, reads'],
  ['update t set a = 1 where a is null'],
  ['delete from t using o where o.a = t.a'],
  ['insert into a select * from b'],
  // Nobody waits for these.
  ['select * from a join b using (x) for update'],
  ['create table n (a int primary key)'],
  ['create function f() returns int language sql return 1'],
  ['grant select on t to anon'],
  ['revoke all on t from anon'],
  ['comment on column s.t.c is null'],
  ['analyze t'],
  ['create statistics x on a, b from t'],
  ['create publication p for table a'],
  ["alter type mood add value 'x'"],
  ['create extension citext'],
  ['create schema x'],
])('says which lock %s takes, and what is done meanwhile', async (sql, ...expected) => {
  expect(await shortOf(sql)).toEqual(expected)
})

it.each<[string, ...string[]]>([
  ['create index concurrently i on t (a)', 'public.t: SHARE UPDATE EXCLUSIVE, reads'],
  ['drop index concurrently i'],
  ['reindex (concurrently) table t', 'public.t: SHARE UPDATE EXCLUSIVE, reads'],
  ['alter table p detach partition c concurrently', `public.c: ${AEL}`],
  ['vacuum full t', `${T}, copies`],
  ['vacuum full', `null: ${AEL}, copies`],
  ['vacuum (full false) t'],
  ['vacuum t'],
  ['cluster', `null: ${AEL}, copies`],
  ['drop database d', `null: ${AEL}`],
])('says so of %s in a file without a transaction', async (sql, ...expected) => {
  expect(await shortOf(sql, { runsInTransaction: false })).toEqual(expected)
})

it('says who is kept from what, for how long, with the size of the table now', async () => {
  const [index] = await findingsOf('\ncreate index on t (a)')
  expect(index).toEqual({
    file: 'one',
    line: 2,
    statement: 'create index on t (a)',
    table: 'public.t',
    lock: 'SHARE',
    blocks: 'writes',
    rewrites: false,
    scans: true,
    size_bytes: 8_192,
    rows: 3,
    message: 'Nobody can write to public.t until the run commits, and Postgres reads all its rows meanwhile.',
    safer: 'CREATE INDEX CONCURRENTLY, in a file whose first line is -- quoin:no-transaction.',
    analysed: true,
  })
})

it.each([
  [
    'drop table t',
    'The table and its rows are lost for good; nobody can read or write public.t until the run commits.',
  ],
  [
    'alter table t drop c',
    'Column c and its values are lost for good; nobody can read or write public.t until the run commits.',
  ],
  ['truncate t', 'All its rows are lost for good; nobody can read or write public.t until the run commits.'],
  [
    'delete from t',
    'All its rows are lost for good; nobody can change or delete rows of public.t until the run commits.',
  ],
  [
    'alter table t validate constraint k',
    'Reads and writes of public.t go on, and Postgres reads all its rows meanwhile.',
  ],
  [
    'alter table t add c app.email',
    'Nobody can read or write public.t until the run commits, and Postgres may copy all its rows meanwhile.',
  ],
])('says of %s what happens to whom', async (sql, message) => {
  expect((await findingsOf(sql)).map(it => it.message)).toEqual([message])
})

it('says why a table is locked that the statement does not name', async () => {
  const [, other] = await findingsOf('drop table child')
  expect(other).toMatchObject({
    table: 'public.o',
    message:
      'Nobody can read or write public.o until the run commits, because of the foreign key child_r_fkey.',
    safer: expect.stringContaining('Drop the foreign key first'),
  })
})

it('knows a domain that the same run makes', async () => {
  expect(await shortOf('create domain s.web as text check (true); alter table t add c web')).toEqual([
    `${T}, copies`,
  ])
})

it('reads a default as deep as the parser takes it', async () => {
  for (const depth of [4_000, 5_000, 5_500, 20_000]) {
    const found = await shortOf(`alter table t add c int default 1${'+1'.repeat(depth)}`)
    expect([[T], [expect.stringContaining('too long')]], String(depth)).toContainEqual(found)
  }
})

it('cuts the statement to what an answer has room for', async () => {
  const [finding] = await findingsOf(`alter table t add check (a in (${'1, '.repeat(1_000)}1))`)
  expect(finding?.statement).toMatch(/^alter table t add check \(a in \(1, .{300,370}…$/)
})

it('says nothing of what an earlier statement made: nobody else sees it', async () => {
  for (const sql of [
    'create table s.n (a int); create index j on s.n (a); alter table s.n add b int not null; drop index s.j',
    'create table public.n (); alter table n add b int',
    'create table n as select 1; insert into n values (1); truncate n',
    'create table n (a int primary key); create table u (a int references n)',
    'select 1 as a into n; alter table n rename to u; alter table u add c int',
    'create materialized view n as select 1; refresh materialized view n',
    'create view n as select 1; drop view n',
    'create temp table t (); drop table t',
    'create temp table t as select 1; truncate pg_temp.t',
    // It is not there now, so it is new, or the statement fails.
    'create table if not exists n (); alter table n add b int',
  ])
    expect(await shortOf(sql), sql).toEqual([])
})

it('does not take a table for new that may have been there', async () => {
  expect(await shortOf('create table if not exists t (); alter table t add b int')).toEqual([T])
  expect(await shortOf('drop table t; create table t (); alter table t add b int')).toEqual([T])
  expect(await shortOf('create table n (); alter table s.t add a int')).toEqual([`s.t: ${AEL}`])
})

it('knows a table by its new name, with its size', async () => {
  const [, second, third] = await findingsOf(
    'alter table t rename to u; alter table u set schema x; create index on x.u (a)',
  )
  expect(second).toMatchObject({ table: 'public.t', size_bytes: 8_192 })
  expect(third).toMatchObject({ table: 'public.t', size_bytes: 8_192 })
})

it('looks names up in the search path, in order, and follows what a file sets for itself', async () => {
  const searchPath = ['s', 'public']
  expect(await shortOf('drop table t', { searchPath })).toEqual([`s.t: ${AEL}`])
  expect(await shortOf('drop table a', { searchPath })).toEqual([`public.a: ${AEL}`])
  expect(await shortOf('set search_path = public; drop table t', { searchPath })).toEqual([T])
  expect(await shortOf("set local search_path to 'x', s; drop table t")).toEqual([`s.t: ${AEL}`])
  expect(await shortOf('set search_path = s; reset search_path; drop table t')).toEqual([T])
  const files = [fileOf('set search_path = s', 'one'), fileOf('drop table t', 'two')]
  const [second] = await findFindings({ sql: { statements }, platform }, files, ['public'])
  expect(second).toMatchObject({ file: 'two', table: 'public.t' })
})

it('says that the lock of an earlier statement is still held while rows are read', async () => {
  const sql = 'alter table t add constraint k check (a > 0) not valid; alter table t validate constraint k'
  const [, second] = await findingsOf(sql)
  expect(second).toMatchObject({
    lock: 'SHARE UPDATE EXCLUSIVE',
    blocks: 'reads_and_writes',
    message: expect.stringContaining('because of an earlier statement, and Postgres reads all its rows'),
    safer: expect.stringContaining('into a later run'),
  })
  const [, alone] = await findingsOf(sql, { runsInTransaction: false })
  expect(alone).toMatchObject({ blocks: 'nothing', safer: null })
})

it('tells what cannot run in the transaction of a run, and how it can', async () => {
  const [index, ...others] = await findingsOf('create index concurrently on t (a)')
  expect(others).toEqual([])
  expect(index).toMatchObject({
    table: 'public.t',
    lock: null,
    blocks: 'nothing',
    message: 'Postgres refuses it in a transaction, and a run is one.',
    safer: expect.stringContaining('-- quoin:no-transaction'),
    analysed: true,
  })
  const [commit] = await findingsOf('commit')
  expect(commit).toMatchObject({
    table: null,
    message: expect.stringContaining('begins or ends a transaction'),
  })
  expect(await findingsOf('begin; commit', { runsInTransaction: false })).toEqual([])
})

it.each<[string, RegExp]>([
  ['this is no sql', /^Not analysed: Postgres cannot read it \(syntax error at or near "this"\)\.$/],
  [`"${'x'.repeat(10_000)}"`, /^Not analysed: Postgres cannot read it \(.{200}…\)\.$/],
  ['do $$ begin execute 1; end $$', /^Not analysed: what its code does/],
  ['call f()', /^Not analysed: what its code does/],
  ['drop owned by x', /^Not analysed: which tables/],
  ['drop schema s cascade', /^Not analysed: what depends on it is dropped too/],
  ['drop type mood cascade', /^Not analysed: what depends on it is dropped too/],
  ['alter extension e update', /^Not analysed: what its code does/],
  [`insert into t values ('${'x'.repeat(300_000)}')`, /^Not analysed: it is too long/],
  [`select 1${'+1'.repeat(100_000)}`, /^Not analysed: it is too long/],
])('says that a statement is not analysed, and why: %#', async (sql, message) => {
  expect(await shortOf(sql), sql.slice(0, 40)).toEqual([expect.stringMatching(message)])
})

it('analyses what stands around statements that cannot be read, and tells of these once in a file', async () => {
  const found = await shortOf('drop table a; oops; drop table b; again; do $$ $$; oops')
  expect(found).toEqual([
    `public.a: ${AEL}`,
    'Not analysed, like 2 more of this file: Postgres cannot read it (syntax error at or near "oops").',
    `public.b: ${AEL}`,
    expect.stringContaining('what its code does'),
  ])
})

it('says of a file whose statements nobody can know that it is not analysed', async () => {
  const file = { ...fileOf('', 'two.cjs'), notAnalysed: 'It throws when it is loaded.' }
  expect(await findFindings({ sql: { statements }, platform }, [file], ['public'])).toEqual([
    expect.objectContaining({
      file: 'two.cjs',
      line: null,
      statement: null,
      message: 'It throws when it is loaded.',
      analysed: false,
    }),
  ])
})

it('stops at the bounds of a check, and says so of each file', async () => {
  const many = fileOf('insert into t values (1);'.repeat(6_000), 'many')
  const behind = fileOf('drop table t', 'behind')
  const found = await findFindings({ sql: { statements }, platform }, [many, behind], ['public'])
  expect(found.map(({ file, message }) => [file, message])).toEqual([
    ['many', 'Not analysed: statement 5001 and those behind it are over the bounds of a check.'],
    ['behind', 'Not analysed: statement 1 and those behind it are over the bounds of a check.'],
  ])
  const locks = await findingsOf('lock t;'.repeat(2_000))
  expect(locks).toHaveLength(1_001)
  expect(locks.at(-1)).toMatchObject({ analysed: false, message: expect.stringContaining('there are more') })
})

it('reads no more of the files than it looks at, and asks for no more names', async () => {
  let [taken, asked] = [0, 0]
  function* statementsOf(text: (i: number) => string) {
    for (let i = 0; ; i++) {
      taken++
      yield { text: text(i), line: null }
    }
  }
  const counting = {
    query: <Row>(sql: string, params: readonly (string | null)[] = []) => {
      asked += JSON.parse(params[0] ?? '[]').length
      return platform.query<Row>(sql, params)
    },
  }
  const columns = Array.from({ length: 1_500 }, (_, i) => `c${i} int`)
  const names = Array.from({ length: 2_000 }, (_, i) => `t${i}`)
  const schemas = Array.from({ length: 2_000 }, (_, i) => `s${i}`)
  const hostile: [string, (i: number) => string, number][] = [
    ['work', i => `create table t${i} (${columns})`, 40],
    ['names', i => (i === 0 ? `set search_path = ${schemas}` : `drop table ${names}`), 10],
    ['characters', () => `insert into t values ('${'x'.repeat(262_144)}')`, 20],
    ['statements', () => 'select 1', 5_002],
  ]
  for (const [name, text, takenMax] of hostile) {
    ;[taken, asked] = [0, 0]
    const file = { name, statements: statementsOf(text), runsInTransaction: true }
    const found = await findFindings({ sql: { statements }, platform: counting }, [file], ['public'])
    expect(found.at(-1)?.message, name).toMatch(/^Not analysed: statement \d+ and those behind it/)
    expect(taken, name).toBeLessThanOrEqual(takenMax)
    expect(asked, name).toBeLessThan(200_000)
  }
})

it('asks the database once, and not at all when no table is named', async () => {
  let trips = 0
  const counting = {
    query: <Row>(sql: string, params?: readonly (string | null)[]) => {
      trips += 1
      return platform.query<Row>(sql, params)
    },
  }
  const files = [fileOf('drop table a; drop table b', 'one'), fileOf('drop table t', 'two')]
  await findFindings({ sql: { statements }, platform: counting }, files, ['public'])
  expect(trips).toBe(1)
  await findFindings({ sql: { statements }, platform: counting }, [fileOf('select 1', 'one')], ['public'])
  expect(trips).toBe(1)
})

it('says what needs a COMMIT that the run does not make before it', async () => {
  const said = async (...texts: [string, boolean?][]) => {
    const files = texts.map(([sql, runsInTransaction = true], i) =>
      fileOf(sql, `${i + 1}.sql`, { runsInTransaction }),
    )
    const found = await findFindings({ sql: { statements }, platform }, files, ['public'])
    return found
      .filter(({ message }) => /COMMIT|ends the transaction/.test(message))
      .map(it => `${it.file}:${it.line}`)
  }
  const adds = "alter type mood add value if not exists 'calm'"
  expect(await said([`select 1;\n${adds}`], ["insert into t values ('calm')"])).toEqual(['2.sql:1'])
  expect(await said([`${adds};\nalter table t alter c set default 'calm'`])).toEqual(['1.sql:2'])
  expect(await said([adds, false], ["insert into t values ('calm')"])).toEqual([])
  expect(await said([adds], ['select 1', false], ["insert into t values ('calm')"])).toEqual([])
  expect(await said([`create type mood as enum (); ${adds}; select 'calm'::mood`])).toEqual([])
  expect(await said([`${adds}; insert into t values ('wild')`])).toEqual([])
  const body = (language: string) =>
    `create function f() returns mood language ${language} as $$ select 'calm' $$`
  expect(await said([`${adds}; ${body('sql')}`])).toEqual(['1.sql:1'])
  expect(await said([`${adds}; ${body('plpgsql')}`])).toEqual([])
  expect(await said(['do $$ begin perform 1; commit; end $$'])).toEqual(['1.sql:1'])
  expect(await said(['do $$ begin perform 1; commit; end $$', false])).toEqual([])
})

it('says that a lock is given back where the run commits between two files', async () => {
  const file = (sql: string, runsInTransaction = true) => fileOf(sql, 'f', { runsInTransaction })
  const files = [file('alter table t add c int'), file('select 1', false), file('create index j on t (c)')]
  const found = await findFindings({ sql: { statements }, platform }, files, ['public'])
  expect(found.map(({ blocks }) => blocks)).toEqual(['reads_and_writes', 'writes'])
})
