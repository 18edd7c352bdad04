import { expect, it } from 'vitest'
import { splitStatements } from '../../../src/features/migrations/statements/split-statements.ts'
import { transactionUse } from '../../../src/features/migrations/statements/transaction-use.ts'

function useOf(sql: string) {
  const [statement] = splitStatements(sql)
  if (!statement) throw new Error('no statement')
  return transactionUse(sql, statement)
}

it.each([
  'BEGIN',
  'begin isolation level serializable',
  '/* x */ start transaction',
  'commit',
  'COMMIT AND CHAIN',
  'end',
  'rollback',
  'rollback work and chain',
  'abort',
  "prepare transaction 'x'",
])('says of %s that it controls the transaction itself', sql => {
  expect(useOf(sql)).toBe('controls_transaction')
})

it.each([
  'create index concurrently i on t (a)',
  'create unique /* x */ index concurrently on t (a)',
  'drop index concurrently if exists i',
  'reindex table concurrently t',
  'reindex (verbose, concurrently) table t',
  'reindex index concurrently i',
  'reindex schema s',
  'reindex (verbose) database d',
  'reindex system',
  'vacuum',
  'vacuum (full) t',
  'cluster',
  'cluster verbose',
  'alter system set a = 1',
  'create database d',
  'drop database if exists d',
  'alter database d set tablespace x',
  "create tablespace x location '/x'",
  'drop tablespace x',
  'alter table if exists only "a;b".p detach partition s.c concurrently',
  "create subscription s connection 'x' publication p",
  'alter subscription s refresh publication',
  "commit prepared 'x'",
  "rollback prepared 'x'",
  'discard all',
])('says of %s that it cannot run in a transaction', sql => {
  expect(useOf(sql)).toBe('needs_no_transaction')
})

it.each([
  'select 1',
  'savepoint a',
  'release a',
  'rollback to a',
  'rollback work to savepoint a',
  'rollback transaction to a',
  'prepare q as select 1',
  'create index i on t (concurrently)',
  'create index "concurrently" on t (a)',
  'create table t (begin int)',
  'drop index i',
  'reindex table t',
  'reindex (concurrently false) table t',
  'reindex table "concurrently"',
  'cluster t using i',
  'cluster (verbose) t',
  "alter type mood add value 'x'",
  'alter database d set work_mem = 1',
  'alter table p detach partition c',
  'refresh materialized view concurrently m',
  "create subscription s connection 'x' publication p with (create_slot = false)",
  "create subscription s connection 'x' publication p with (connect = off)",
  'analyze t',
  'discard temp',
  'create function f() returns int language sql begin atomic select 1; end',
])('says of %s that it runs in a transaction', sql => {
  expect(useOf(sql)).toBe('fits_transaction')
})
