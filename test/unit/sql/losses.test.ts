import { expect, test } from 'vitest'
import { LOSS_FIELDS, type Loss, lossesOf } from '../../../src/features/sql/losses.ts'
import { loadNodeParser } from './node-parser.ts'

const parser = await loadNodeParser()

async function lossesIn(sql: string): Promise<Loss[]> {
  return (await parser.parse(sql, LOSS_FIELDS)).flatMap(({ node }) => lossesOf(node))
}

const brief = ({ kind, objectKind, names, part, cascades, rowsOf }: Loss) =>
  [kind, objectKind, names.join('.'), part, cascades ? 'cascades' : null, rowsOf]
    .filter(word => word)
    .join(' ')

test.each([
  ['delete from todos', ['delete_rows table todos table']],
  ['DELETE FROM app."To Do"', ['delete_rows table app.To Do table']],
  ['delete from only todos', ['delete_rows table todos table_only']],
  ['delete from todos returning *', ['delete_rows table todos table']],
  ['delete from todos where true', ['delete_rows table todos table']],
  ['delete from todos where 1=1', ['delete_rows table todos table']],
  ["delete from todos where 'a' like '%' or not false", ['delete_rows table todos table']],
  ["delete from todos where now() > '2020-01-01'", ['delete_rows table todos table']],
  ["delete from todos where '\"ColumnRef\":' <> ''", ['delete_rows table todos table']],
  ['delete from todos using users', ['delete_rows table todos table']],
  ['update todos set done = true', ['update_rows table todos table']],
  // The condition is another statement's.
  ['update todos set a = (select b from others where id = 1)', ['update_rows table todos table']],
  ['update todos set id = id where 1 = 1', ['update_rows table todos table']],
  ['with a as (delete from todos returning *) select * from a', ['delete_rows table todos table']],
  [
    'with a as (update x set y = 1), b as (delete from z) insert into t select 1',
    ['update_rows table x table', 'delete_rows table z table'],
  ],
  [
    'with a as (with b as (delete from z returning 1) insert into t select * from b returning 1) select 1 from a',
    ['delete_rows table z table'],
  ],
  ['create table t as with a as (delete from z returning *) select * from a', ['delete_rows table z table']],
  ['explain analyze delete from todos', ['delete_rows table todos table']],
  ['explain (buffers, analyze) update todos set a = 1', ['update_rows table todos table']],
  ['merge into t using s on true when matched then delete', ['merge_rows table t table']],
  [
    'merge into t using s on t.id = s.id when not matched by source then delete',
    ['merge_rows table t table'],
  ],
  ['truncate a, only s.b', ['truncate table a table', 'truncate table s.b table_only']],
  ['truncate a cascade', ['truncate table a cascades table']],
  ['drop table a, s.b', ['drop table a table', 'drop table s.b table']],
  ['drop table if exists a cascade', ['drop table a cascades table']],
  ['drop view v', ['drop view v nothing']],
  ['drop materialized view v', ['drop materialized view v nothing']],
  ['drop schema s cascade', ['drop schema s cascades schema']],
  ['drop function f(int), s.g', ['drop function f nothing', 'drop function s.g nothing']],
  ['drop trigger g on t', ['drop trigger t.g nothing']],
  ['drop policy p on s.t', ['drop policy s.t.p nothing']],
  ['drop index i', ['drop index i nothing']],
  ['drop type t', ['drop type t nothing']],
  ['drop extension e', ['drop extension e nothing']],
  ['drop role a, b', ['drop role a nothing', 'drop role b nothing']],
  ['drop owned by a', ['drop owned a nothing']],
  ['drop database d', ['drop db d nothing']],
  ['drop subscription s', ['drop subscription s nothing']],
  ['drop user mapping for a server b', ['drop user mapping b nothing']],
  ['alter table t drop column a', ['drop_column table t a table']],
  [
    'alter table s.t drop a cascade, add b int, alter c type int, drop constraint d',
    [
      'drop_column table s.t a cascades table',
      'change_type table s.t c table',
      'drop_constraint table s.t d nothing',
    ],
  ],
  ['alter type t drop attribute a', ['drop_column type t a nothing']],
  ['alter foreign table t drop column a', ['drop_column foreign table t a nothing']],
  ['alter domain d drop constraint c', ['drop_constraint domain d c nothing']],
])('%s loses something', async (sql, expected) => {
  expect((await lossesIn(sql)).map(brief)).toEqual(expected)
})

test.each([
  'select * from todos',
  'delete from todos where id = 1',
  'delete from todos where done',
  'delete from todos where id in (select id from others)',
  'delete from todos t where exists (select from others o where o.id = t.id)',
  'declare c cursor for select 1; update todos set a = 1 where current of c',
  'update todos set a = 1 where id = 1',
  'insert into todos select 1',
  'insert into todos values (1) on conflict (id) do update set a = 1',
  'merge into t using s on t.id = s.id when matched then update set a = 1 when not matched then insert values (1)',
  'explain delete from todos',
  // What words in a browser have taken for a deletion, as reported of other editors.
  'create policy p on t for delete to authenticated using (a = 1)',
  'select deleted, "drop", delete_at from truncate_me',
  'create trigger g after delete or truncate on t for each statement execute function f()',
  'create table t (a int references b on delete cascade on update cascade)',
  'create or replace function f() returns void language plpgsql as $$ begin drop table a; end $$',
  'grant delete, truncate on t to anon',
  'select a from t for update',
  "comment on table t is 'delete from t'",
  'create rule r as on insert to a do delete from b',
  'create function f() returns void begin atomic delete from a; end',
  "select 'drop table a; delete from b'",
  '-- drop table a\nselect 1 /* delete from b */',
  'alter table t add column a int, alter a drop not null',
  'do $$ begin delete from todos; end $$',
])('%s loses nothing that can be seen', async sql => {
  expect(await lossesIn(sql)).toEqual([])
})

test('a condition as deep as the parser takes is one', async () => {
  const sum = `${'(a+'.repeat(800)}1${')'.repeat(800)}`
  expect(await lossesIn(`delete from todos where ${sum} > 0`)).toEqual([])
})
