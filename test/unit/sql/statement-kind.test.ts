import { describe, expect, test } from 'vitest'
import { DomainError } from '../../../src/errors.ts'
import { StatementReader } from '../../../src/features/sql/statement.ts'
import { loadNodeParser } from './node-parser.ts'

const reader = new StatementReader(() => loadNodeParser())

const READS = [
  'select 1',
  'SELECT * FROM t WHERE a = $1',
  'select 1;',
  '/* a */ select 1 -- b',
  'values (1), (2)',
  'table t',
  '(select 1)',
  '((select 1) limit 1)',
  'with a as (select 1) select * from a',
  'with recursive a as (select 1 union all select 1 from a) select * from a',
  'select 1 union select 2',
  'select 1 union all (select 2 except select 3)',
  'select * from t for update',
  'select * from t for share skip locked',
  'select f(1)',
  "select nextval('s')",
  'select (select 1)',
  'select pg_advisory_lock(1)',
  "select set_config('role', 'none', false)",
]

const OTHERS: [sql: string, command: string | undefined][] = [
  ['with a as (insert into t values (1) returning *) select * from a', undefined],
  ['with a as (delete from t returning *) select * from a union select * from a', undefined],
  ['with a as (update t set b = 1 returning *) select * from a', undefined],
  [
    'with a as (merge into t using s on true when matched then delete returning *) select * from a',
    undefined,
  ],
  ['select 1 into t', undefined],
  ['select 1 into t union select 2', undefined],
  ['select 1 into temp t union select 2 union select 3', undefined],
  ['insert into t values (1)', undefined],
  ['insert into t values (1) returning *', undefined],
  ['with a as (select 1) insert into t select * from a', undefined],
  ['update t set a = 1', undefined],
  ['delete from t', undefined],
  ['merge into t using s on true when matched then delete', undefined],
  ['explain select 1', undefined],
  ['explain analyze delete from t', undefined],
  ['show search_path', undefined],
  ['set search_path = public', undefined],
  ['set local role anon', undefined],
  ['set role anon', undefined],
  ['reset role', undefined],
  ['reset all', undefined],
  ['reset client_encoding', undefined],
  ['set transaction read only', undefined],
  ['set constraints all deferred', 'SET CONSTRAINTS'],
  ["notify c, 'x'", undefined],
  ['lock table t', 'LOCK TABLE'],
  ['do $$ begin null; end $$', undefined],
  ['call p()', undefined],
  ['declare c cursor for select 1', 'DECLARE CURSOR'],
  ['fetch all from c', undefined],
  ['move c', undefined],
  ['close c', 'CLOSE CURSOR'],
  ['create table t (a int)', 'CREATE TABLE'],
  ['create temp table t (a int)', 'CREATE TABLE'],
  ['create table t as select 1', 'CREATE TABLE AS'],
  ['create materialized view v as select 1', 'CREATE MATERIALIZED VIEW'],
  ['refresh materialized view v', 'REFRESH MATERIALIZED VIEW'],
  ['create index on t (a)', 'CREATE INDEX'],
  ['create index concurrently on t (a)', 'CREATE INDEX'],
  ['create view v as select 1', 'CREATE VIEW'],
  ['create or replace function f() returns int language sql return 1', 'CREATE FUNCTION'],
  ["create procedure p() language sql as ''", 'CREATE PROCEDURE'],
  ['create aggregate a (int) (sfunc = f, stype = int)', 'CREATE AGGREGATE'],
  ["create type e as enum ('a')", 'CREATE TYPE'],
  ['create type c as (a int)', 'CREATE TYPE'],
  ['create domain d as int', 'CREATE DOMAIN'],
  ['create policy p on t using (true)', 'CREATE POLICY'],
  ['create trigger g after insert on t execute function f()', 'CREATE TRIGGER'],
  ['create extension x', 'CREATE EXTENSION'],
  ['create schema s', 'CREATE SCHEMA'],
  ['create role r', 'CREATE ROLE'],
  ['alter table t add column b int', 'ALTER TABLE'],
  ['alter index i set (fillfactor = 50)', 'ALTER INDEX'],
  ['alter table t rename column a to b', 'ALTER TABLE'],
  ['alter view v rename column a to b', 'ALTER VIEW'],
  ['alter table t rename constraint a to b', 'ALTER TABLE'],
  ['alter index i rename to j', 'ALTER INDEX'],
  ["alter type e add value 'b'", 'ALTER TYPE'],
  ['alter type c rename attribute a to b', 'ALTER TYPE'],
  ['alter function f() owner to anon', 'ALTER FUNCTION'],
  ['alter role somebody set a = 1', 'ALTER ROLE'],
  ['drop table t', 'DROP TABLE'],
  ['drop materialized view v', 'DROP MATERIALIZED VIEW'],
  ['drop text search configuration c', 'DROP TEXT SEARCH CONFIGURATION'],
  ['truncate t', 'TRUNCATE TABLE'],
  ['comment on table t is null', undefined],
  ['grant select on t to anon', undefined],
  ['revoke select on t from anon, service_role', undefined],
  ['grant reader to service_role', undefined],
  ['drop owned by somebody', 'DROP OWNED'],
  [
    'alter default privileges for role service_role grant execute on functions to public',
    'ALTER DEFAULT PRIVILEGES',
  ],
  ['vacuum', undefined],
  ['create database d', undefined],
]

const REFUSED: [sql: string, named: RegExp][] = [
  ['begin', /Transaction control/],
  ['start transaction', /Transaction control/],
  ['commit', /Transaction control/],
  ['END', /Transaction control/],
  ['rollback', /Transaction control/],
  ['abort', /Transaction control/],
  ['savepoint a', /Transaction control/],
  ['release a', /Transaction control/],
  ['rollback to a', /Transaction control/],
  ['commit and chain', /Transaction control/],
  ["prepare transaction 'a'", /Transaction control/],
  ["commit prepared 'a'", /Transaction control/],
  ['/* select */ commit', /Transaction control/],
  ['prepare a as select 1', /PREPARE/],
  ['execute a', /EXECUTE/],
  ['deallocate all', /DEALLOCATE/],
  ['discard all', /DISCARD/],
  ['listen a', /LISTEN/],
  ['unlisten *', /UNLISTEN/],
  ["load 'x'", /LOAD/],
  ['copy t from stdin', /COPY/],
  ['copy (select 1) to stdout', /COPY/],
  ["copy t from program 'id'", /COPY/],
  ['set session authorization anon', /SESSION AUTHORIZATION/],
  ['set session_authorization = anon', /SESSION AUTHORIZATION/],
  ['reset session authorization', /SESSION AUTHORIZATION/],
  ["set client_encoding = 'LATIN1'", /client_encoding/],
  ["set local Client_Encoding to 'LATIN1'", /client_encoding/],
  ["set names 'LATIN1'", /client_encoding/],
  ["alter role authenticator password 'x'", /authenticator/],
  ['alter user "authenticator" set search_path = evil', /authenticator/],
  ['alter role session_user set a = 1', /authenticator/],
  ['alter role current_user reset all', /authenticator/],
  ['alter role authenticator rename to x', /authenticator/],
  ['drop role a, authenticator', /authenticator/],
  ['grant authenticator to anon', /authenticator/],
  ['reassign owned by authenticator to anon', /authenticator/],
  ['drop owned by session_user', /authenticator/],
  ['drop owned by service_role', /DROP OWNED BY the role "service_role"/],
  ['drop owned by somebody, "anon" cascade', /DROP OWNED BY the role "anon"/],
  ['drop owned by current_user', /authenticator/],
  ['drop owned by current_role', /authenticator/],
  ['reassign owned by service_role to somebody', /REASSIGN OWNED BY the role "service_role"/],
  ['reassign owned by anon to service_role', /REASSIGN OWNED BY the role "anon"/],
  ['grant service_role to somebody', /The role "service_role" and membership in it/],
  ['grant authenticated to somebody', /The role "authenticated" and membership in it/],
  ['grant somebody, anon to other with admin option', /The role "anon" and membership in it/],
  ['revoke anon from authenticator', /The role "anon" and membership in it/],
  ['revoke service_role from somebody', /The role "service_role" and membership in it/],
  ['alter group service_role add user somebody', /The role "service_role" and membership in it/],
  ['select 1; select 2', /one statement/],
  ['select 1; commit', /one statement/],
  ['', /no statement/],
  [' -- nothing', /no statement/],
]

describe('reads, which a cursor bounds', () => {
  test.each(READS)('%s', async sql => expect(await reader.read(sql)).toMatchObject({ isRead: true }))
})

describe('other statements, which run to their end', () => {
  test.each(OTHERS)('%s', async (sql, command) =>
    expect(await reader.read(sql)).toMatchObject({ isRead: false, command }),
  )
})

describe('statements that are refused, each with its name and what to do', () => {
  test.each(REFUSED)('%s', async (sql, named) => {
    const err = await reader.read(sql).catch(e => e)
    expect(err).toBeInstanceOf(DomainError)
    expect(err.code).toBe('statement_not_allowed')
    expect(err.message).toMatch(named)
  })
})

test('whoever wants everything of a role gone is told to drop by name', async () => {
  const err = await reader.read('drop owned by service_role').catch(e => e)
  expect(err.hint).toContain('DROP TABLE a, b')
})

test('several statements are counted, and the transaction endpoint is named', async () => {
  const err = await reader.read('select 1; select 2; select 3').catch(e => e)
  expect(err.detail).toContain('3 statements')
  expect(err.hint).toContain('/v1/sql/transaction')
})

test('the parser is loaded once for all calls, and again after a failed start', async () => {
  let loads = 0
  const failing = new StatementReader(() => {
    loads++
    return loads === 1 ? Promise.reject(new Error('no memory')) : loadNodeParser()
  })
  await expect(failing.read('select 1')).rejects.toThrow('no memory')
  await Promise.all([failing.read('select 1'), failing.read('select 2')])
  expect(loads).toBe(2)
})

test('a text that was read before is not parsed again', async () => {
  let parses = 0
  const counting = new StatementReader(async () => {
    const parser = await loadNodeParser()
    return {
      parse(sql) {
        parses++
        return parser.parse(sql)
      },
    }
  })
  await counting.read('select 1')
  await counting.read('select 1')
  expect(parses).toBe(1)
})
