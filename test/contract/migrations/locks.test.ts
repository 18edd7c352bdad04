// The findings on migrations against Postgres itself: each statement runs in a transaction that is taken back, while
// pg_locks, the tables' files and the count of rows read say what it did. The tables are committed before: the locks of
// making them would hide all others.

import { Client } from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startGateway } from '../../../sql-gateway/server.ts'
import { PlatformDatabase } from '../../../src/db/database.ts'
import { SqlWire } from '../../../src/db/sql-wire.ts'
import { findFindings } from '../../../src/features/migrations/findings/find-findings.ts'
import type { MigrationFinding } from '../../../src/features/migrations/findings/schemas.ts'
import { LOCK_MODES, type LockMode } from '../../../src/features/migrations/findings/table-effect.ts'
import { StatementReader } from '../../../src/features/sql/statement.ts'
import { makeDatabase, type OwnDatabase } from '../../support/postgres.ts'
import { loadNodeParser } from '../../unit/sql/node-parser.ts'

const ROWS = 1_000
const SEARCH_PATH = ['public']
const SETUP = `
  create table o (id int primary key, n int);
  create table t (
    id int primary key, a int, b varchar(20), c text, n int not null, r int references o,
    g int generated always as (a * 2) stored
  );
  insert into o select i, i from generate_series(1, ${ROWS}) i;
  insert into t (id, a, b, c, n, r) select i, i, i, i, i, i from generate_series(1, ${ROWS}) i;
  alter table t add constraint k check (a > 0) not valid;
  create index t_a on t (a);
  create unique index t_n on t (n);
  alter table t enable row level security;
  create policy po on t using (true);
  create function run() returns trigger language plpgsql as 'begin return new; end';
  create trigger tr before insert on t for each row execute function run();
  create rule ru as on insert to o do also notify x;
  create function changing() returns int language sql volatile return random()::int;
  create function fixed() returns int language sql stable return 1;
  create unlogged table ul (id int);
  insert into ul select generate_series(1, ${ROWS});
  create table p (id int) partition by range (id);
  create table p1 partition of p for values from (0) to (2000);
  insert into p select generate_series(1, ${ROWS});
  create table p2 (id int);
  insert into p2 select generate_series(2001, ${ROWS + 2000});
  create materialized view m as select id, a from t;
  create unique index m_id on m (id);
  create view w as select id from t;
  create sequence seq;
  create domain short as text check (length(value) < 10);
  create domain plain as text;
  create type mood as enum ('happy');
  create table base (id int);
  create table virtual (a int, v int generated always as (a * 2) virtual);
  insert into virtual select generate_series(1, ${ROWS});
  create schema s;
  analyze;`

let database: OwnDatabase
let client: Client
let gateway: Awaited<ReturnType<typeof startGateway>>
let platform: PlatformDatabase
const sql = { statements: new StatementReader(() => loadNodeParser()) }

beforeAll(async () => {
  database = await makeDatabase('locks')
  client = new Client({ connectionString: database.url })
  await client.connect()
  await client.query(SETUP)
  gateway = await startGateway({ databaseUrls: [database.url] })
  platform = new PlatformDatabase(new SqlWire({ connectionString: database.url, gatewayUrl: gateway.url }))
})

afterAll(async () => {
  await client?.end()
  await gateway?.close()
  await database?.drop()
})

function findingsOf(...texts: string[]): Promise<MigrationFinding[]> {
  const statements = texts.map(text => ({ text, line: 1 }))
  const files = [{ name: 'one', statements, runsInTransaction: true }]
  return findFindings({ sql, platform }, files, SEARCH_PATH)
}

/** What was there before; what of an index is locked counts for its table. */
const BEFORE_SQL = `
  create temp table before on commit drop as
  select c.oid, n.nspname || '.' || c.relname as name, c.relkind as kind,
    pg_relation_filenode(c.oid) as file,
    pg_stat_get_xact_tuples_returned(c.oid) as reads,
    array(select i.indexrelid from pg_index i where i.indrelid = c.oid) as indexes
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = 'public' and c.relkind in ('r', 'p', 'm', 'v', 'S')`

/** A dropped table is not copied, and of a sequence one row is. */
const SEEN_SQL = `
  select b.name, b.kind <> 'S' and b.file <> pg_relation_filenode(b.oid) as rewrites,
    pg_stat_get_xact_tuples_returned(b.oid) - b.reads >= ${ROWS} as scans,
    (select array_agg(l.mode) from pg_locks l
      where l.pid = pg_backend_pid() and (l.relation = b.oid or l.relation = any (b.indexes))) as modes
  from before b order by b.name`

interface Seen {
  name: string
  lock: LockMode | undefined
  rewrites: boolean
  scans: boolean
}

async function seenOf(statement: string): Promise<Seen[]> {
  await client.query('begin')
  try {
    await client.query(BEFORE_SQL)
    await client.query(statement)
    const { rows } = await client.query(SEEN_SQL)
    return rows.map(row => ({ ...row, lock: strongest(row.modes) }))
  } finally {
    await client.query('rollback')
  }
}

/** `AccessExclusiveLock` and the like. */
function strongest(modes: string[] | null): LockMode | undefined {
  const words = (modes ?? []).map(mode =>
    mode
      .replace(/Lock$/, '')
      .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
      .toUpperCase(),
  )
  return LOCK_MODES.findLast(mode => words.includes(mode))
}

/** What the findings must say: a lock that blocks somebody, and rows copied or read under more than a query's. */
function worthTelling({ name, lock, rewrites, scans }: Seen): string | undefined {
  const strength = lock === undefined ? -1 : LOCK_MODES.indexOf(lock)
  const blocks = strength >= LOCK_MODES.indexOf('SHARE')
  const isQuery = strength < LOCK_MODES.indexOf('SHARE UPDATE EXCLUSIVE')
  if (isQuery || !(blocks || rewrites || scans)) return undefined
  return `${name}: ${lock}${rewrites ? ', copies' : scans ? ', reads' : ''}`
}

/** What depends on more than the text is told in any case; it is right when Postgres does it or not. */
function saidOf(finding: MigrationFinding, seen: readonly Seen[]): string | undefined {
  const isSure = !finding.message.includes(' may ')
  const real = seen.find(({ name }) => name === finding.table)
  return worthTelling({
    name: finding.table ?? '',
    lock: finding.lock ?? undefined,
    rewrites: finding.rewrites && (isSure || real?.rewrites === true),
    scans: finding.scans && (isSure || real?.scans === true),
  })
}

async function saidShort(statement: string, seen: readonly Seen[]): Promise<string[]> {
  return short((await findingsOf(statement)).map(finding => saidOf(finding, seen)))
}

function short(texts: readonly (string | undefined)[]): string[] {
  return texts.filter(text => text !== undefined).sort()
}

it.each([
  'alter table t add x int',
  'alter table t add x int not null default 1',
  'alter table t add x timestamptz default now()',
  "alter table t add x text default lower('A')",
  'alter table t add x int default changing()',
  'alter table t add x int default fixed()',
  'alter table t add x uuid default gen_random_uuid()',
  'alter table t add x serial',
  'alter table t add x int generated always as identity',
  'alter table t add x int generated always as (a * 2) stored',
  'alter table t add x int generated always as (a * 2) virtual',
  'alter table t add x short',
  'alter table t add x plain',
  "alter table t add x mood default 'happy'",
  'alter table t add x int unique',
  'alter table t add x int check (x > 0)',
  'alter table t add x int references o',
  'alter table t add x int default 1 references o',
  'alter table t drop column c',
  'alter table t drop column r',
  'alter table t drop constraint t_r_fkey',
  'alter table o alter id type bigint',
  'alter table t alter r type bigint',
  'drop table o cascade',
  'alter table t drop column if exists c cascade',
  'alter table o alter n type bigint',
  'alter table t alter b type varchar(40)',
  'alter table t alter b type varchar(10)',
  'alter table t alter b type text',
  'alter table t alter c type varchar(10)',
  'alter table t alter c type text using upper(c)',
  'alter table t alter c type jsonb using to_jsonb(c)',
  'alter table t alter a set not null',
  'alter table t alter n drop not null',
  'alter table t alter a set default 5',
  'alter table t alter a drop default',
  'alter table t alter a set statistics 100',
  'alter table t alter c set storage external',
  'alter table t alter c set compression pglz',
  'alter table t alter c set (n_distinct = 5)',
  'alter table t alter g set expression as (a * 3)',
  'alter table virtual alter v set expression as (a * 3)',
  'alter table t alter g drop expression',
  'alter table t alter n add generated always as identity',
  'alter table t add constraint q check (a > 0)',
  'alter table t add constraint q check (a > 0) not valid',
  'alter table t validate constraint k',
  'alter table t drop constraint k',
  'alter table t add constraint q not null a',
  'alter table t add constraint q not null a not valid',
  'alter table t add constraint q foreign key (a) references o',
  'alter table t add constraint q foreign key (a) references o not valid',
  'alter table t add constraint q unique (a)',
  'alter table t add constraint q unique using index t_n',
  'alter table ul add primary key (id)',
  'alter table t add constraint q exclude (a with =)',
  'alter table t rename to u',
  'alter table t rename a to aa',
  'alter table t rename constraint k to kk',
  'alter table t set (fillfactor = 70)',
  'alter table t set (autovacuum_enabled = false)',
  'alter table t set (user_catalog_table = true)',
  'alter table t reset (fillfactor)',
  'alter table t cluster on t_a',
  'alter table t disable trigger tr',
  'alter table t enable row level security',
  'alter table t no force row level security',
  'alter table o disable rule ru',
  'alter table t replica identity full',
  'alter table t owner to current_user',
  'alter table t set schema s',
  'alter table ul set logged',
  'alter table p2 set unlogged',
  'alter table p2 set logged',
  'alter table t set access method heap',
  'alter table p attach partition p2 for values from (2000) to (4000)',
  'alter table p detach partition p1',
  'alter table p2 inherit base',
  'alter index t_a rename to t_aa',
  'alter index t_a set (fillfactor = 70)',
  'alter view w set (security_barrier = true)',
  'alter view w rename to ww',
  'alter sequence seq restart',
  'alter sequence seq owned by t.a',
  'alter policy po on t using (false)',
  'alter trigger tr on t rename to tt',
  "alter type mood add value 'sad'",
  'alter type mood rename to moods',
  'alter domain short drop constraint short_check',
  'create index on t (b)',
  'create unique index on t (id)',
  'drop index t_a',
  'reindex table t',
  'reindex index t_a',
  'create trigger tt after update on t for each row execute function run()',
  'drop trigger tr on t',
  'create policy pp on t using (true)',
  'drop policy po on t',
  'create rule rr as on delete to o do also notify x',
  'drop rule ru on o',
  'drop table p2',
  'drop view w',
  'drop materialized view m',
  'drop sequence seq',
  'create or replace view w as select id from t',
  'create view ww as select * from t',
  'create table n (id int references o)',
  'create table n (id int, foreign key (id) references o)',
  'create table n partition of p for values from (2000) to (3000)',
  'create table n () inherits (p2)',
  'create table n (like t including all)',
  'create table n as select * from o',
  'create materialized view mm as select * from p2',
  'refresh materialized view m',
  'refresh materialized view concurrently m',
  'cluster t using t_a',
  'lock table t in share mode',
  'lock table t',
  'lock table t in row exclusive mode',
  'update o set n = 2',
  'delete from ul',
  'update t set a = 2 where id = 1',
  'insert into t (id, n) values (5000, 5000)',
  'with x as (delete from ul returning id) select count(*) from x',
  'grant select on t to public',
  'revoke select on t from public',
  "comment on table t is 'x'",
  "comment on column t.a is 'x'",
  'analyze t',
  'create statistics st on a, b from t',
  'create publication pub for table t',
  'create function f() returns int language sql return 1',
  'create schema s2',
  'create extension pg_trgm',
  'select * from t where id = 1 for update',
])('says of %s what Postgres does', async statement => {
  const seen = await seenOf(statement)
  expect(await saidShort(statement, seen)).toEqual(short(seen.map(worthTelling)))
})

const AEL = 'ACCESS EXCLUSIVE'
const COPIED = 'ACCESS EXCLUSIVE, copies'

it.each<[statement: string, said: string[], seen: string[]]>([
  // Partitions are copied under the lock on their parent, and count for its size.
  [
    'alter table p add x int default changing()',
    [`public.p: ${AEL}`],
    [`public.p1: ${COPIED}`, `public.p: ${AEL}`],
  ],
  // The file is a new one, and empty.
  ['truncate p2', [`public.p2: ${AEL}`], [`public.p2: ${COPIED}`]],
  // Not seen: what CASCADE takes, and the parent of a partition.
  ['truncate o cascade', [`public.o: ${AEL}`], [`public.o: ${COPIED}`, `public.t: ${COPIED}`]],
  [
    'drop table t cascade',
    [`public.o: ${AEL}`, `public.t: ${AEL}`],
    [`public.m: ${AEL}`, `public.o: ${AEL}`, `public.t: ${AEL}`, `public.w: ${AEL}`],
  ],
  [
    'alter table o drop constraint o_pkey cascade',
    [`public.o: ${AEL}`],
    [`public.o: ${AEL}`, `public.t: ${AEL}`],
  ],
  ['drop table p1', [`public.p1: ${AEL}`], [`public.p1: ${AEL}`, `public.p: ${AEL}`]],
])('knowingly says of %s something else than Postgres does', async (statement, said, expected) => {
  const seen = await seenOf(statement)
  expect(short(seen.map(worthTelling))).toEqual(expected)
  expect(await saidShort(statement, seen)).toEqual(said)
})

it('says that tables with a domain are read when it gets a constraint, without their names', async () => {
  await client.query('create table shorts (a short)')
  await client.query(`insert into shorts select i from generate_series(1, ${ROWS}) i`)
  const statement = "alter domain short add check (value <> '')"
  expect((await seenOf(statement)).map(worthTelling)).toContain('public.shorts: SHARE, reads')
  expect(await findingsOf(statement)).toMatchObject([{ table: null, lock: 'SHARE', scans: true }])
})

it('says the size of a table with its indexes and partitions, and the rows that Postgres knows of', async () => {
  const [t, p] = await findingsOf('lock table t', 'lock table p')
  const size = 'select pg_total_relation_size($1::regclass)::int as size'
  const sizeOf = async (table: string) => (await client.query(size, [table])).rows[0].size
  expect(t).toMatchObject({ table: 'public.t', size_bytes: await sizeOf('t'), rows: ROWS })
  expect(p).toMatchObject({ table: 'public.p', size_bytes: await sizeOf('p1'), rows: ROWS })
})

it('does not wait for who has locked a table or its index, and leaves the size open', async () => {
  for (const lock of ['lock table t', 'reindex index t_a']) {
    await client.query('begin')
    await client.query(lock)
    const [finding] = await findingsOf('drop table t')
    await client.query('rollback')
    expect(finding, lock).toMatchObject({ table: 'public.t', size_bytes: null, rows: ROWS })
  }
})

it('finds what a quoted name names, and nothing by a name that is not there', async () => {
  await client.query('create table s."Odd ""name" (a int)')
  expect(await findingsOf('drop table s."Odd ""name"')).toMatchObject([{ table: 's.Odd "name' }])
  expect(await findingsOf('drop table nowhere.t', 'drop table s.t', 'drop table if exists nothing')).toEqual(
    [],
  )
})
