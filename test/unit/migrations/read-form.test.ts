// What each tool's own reader would apply of a file, and what it would not.

import { describe, expect, it } from 'vitest'
import { readForm } from '../../../src/features/migrations/forms/read-form.ts'
import { splitStatements } from '../../../src/features/migrations/statements/split-statements.ts'

const statementsOf = (text: string) => splitStatements(text).map(({ start, end }) => text.slice(start, end))

function applied(text: string): string[] {
  const { up, uncertain } = readForm(text)
  expect(uncertain).toBeUndefined()
  return statementsOf(up.text)
}

describe('what is applied and what takes it back', () => {
  it.each([
    ['node-pg-migrate', '-- Up Migration\nselect 1;\n-- Down Migration\nselect 2;'],
    ['node-pg-migrate', 'select 1;\n-- Down Migration\nselect 2;'],
    ['node-pg-migrate', '--- up  migration: x\r\nselect 1\r\n--  down migration\r\nselect 2\r\n'],
    ['goose', '-- +goose Up\nselect 1;\n\n-- +goose Down\nselect 2;\n'],
    [
      'goose',
      '-- a note\n--+goose up\n-- +goose StatementBegin\nselect 1;\n-- +goose StatementEnd\n--+goose down\nselect 2;',
    ],
    [
      'goose',
      '-- +goose Up\nselect 1;\n-- up migration\n-- +goose Down\n-- Down migration for it\nselect 2;',
    ],
    ['sql-migrate', '-- +migrate Up\nselect 1;\n-- +migrate Down\nselect 2;'],
    ['dbmate', '-- migrate:up\nselect 1;\n\n-- migrate:down\nselect 2;'],
    ['dbmate', '--migrate:up transaction:true\nselect 1\n--migrate:down\nselect 2'],
    ['Rambler', '-- rambler up\nselect 1;\n-- rambler down\nselect 2;'],
    ['shmig', '-- ==== UP ====\nselect 1;\n-- ==== DOWN ====\nselect 2;'],
    ['tern', 'select 1;\n\n---- create above / drop below ----\n\nselect 2;'],
    ['MyBatis', '-- // a first one\n-- Migration SQL goes here.\nselect 1;\n\n-- //@UNDO\nselect 2;'],
    ['MyBatis', '--// old\nselect 1;\n--//@UNDO\nselect 2;'],
    ['goose', '-- +goose Up\nselect 1;\n\f\u00a0-- +goose Down\nselect 2;'],
    ['MyBatis', 'select 1;\n//@UNDO\nselect 2;'],
    ['Play', "# Don't edit\n\n# --- !Ups\nselect 1;\n\n# --- !Downs\nselect 2;"],
    ['Play', '-- !Ups\nselect 1;\n-- !Downs\nselect 2;'],
  ])('%s: %j', (tool, text) => {
    const form = readForm(text)
    expect(form).toMatchObject({ tool, up: { usesTransaction: true } })
    expect(form.uncertain).toBeUndefined()
    expect(statementsOf(form.up.text)).toEqual(['select 1'])
    expect(statementsOf(form.down?.text ?? '')).toEqual(['select 2'])
    expect(form.up.text.split('\n')).toHaveLength(text.split('\n').length)
  })

  it('Liquibase: each change set, its rollback being comments', () => {
    const text =
      '--liquibase formatted sql\n--changeset a:1\nselect 1;\n--rollback select 2;\n' +
      '--changeset a:2 dbms:postgresql splitStatements:false\nselect 3;\n--rollback\n--changeset a:3\nselect 4;'
    expect(applied(text)).toEqual(['select 1', 'select 3', 'select 4'])
    expect(readForm(text).down).toBeNull()
  })

  it('parts that come several times, each without a semicolon at its end', () => {
    const text =
      '-- migrate:up\nselect 1\n-- migrate:down\nselect 2\n-- migrate:up\nselect 3\n-- migrate:down\nselect 4'
    expect(applied(text)).toEqual(['select 1', 'select 3'])
    expect(statementsOf(readForm(text).down?.text ?? '')).toEqual(['select 2', 'select 4'])
    expect(readForm(text).up.lines).toEqual([
      { first: 2, last: 2 },
      { first: 6, last: 6 },
    ])
  })

  it('all of a file without marks', () => {
    for (const text of [
      'select 1; -- down\n',
      '\uFEFFselect 1;\n-- Rollback:\n-- drop table a;\n',
      '-- upgrade notes\n-- shut down\nselect 1',
      '--> statement-breakpoint\nselect 1;',
    ])
      expect(applied(text)).toEqual(['select 1'])
    expect(readForm('a\nb\n').up.lines).toEqual([{ first: 1, last: 2 }])
  })
})

describe('a mark that is none', () => {
  it.each([
    ['in a body', 'create function f() returns text language sql as $$\n-- Down Migration\nselect 1 $$'],
    ['in a string', "select 'a\n-- +goose Down\n'"],
    ['in a name', 'select 1 as "a\n-- migrate:down\n"'],
    ['in a block comment', 'select 1 /* see\n-- +goose Down\n*/'],
  ])('%s', (_, sql) => {
    expect(applied(sql)).toEqual([sql.split(' /*')[0]])
    expect(readForm(sql)).toMatchObject({ tool: null, down: null })
  })

  it('in a nested block comment, and behind a character that ends a line to some', () => {
    for (const sql of [
      'select 1;\n/* old /* older */\n-- Down Migration\n*/\nselect 2',
      'select 1; -- a\u2028-- Down Migration\nselect 2',
    ])
      expect(applied(sql)).toEqual(['select 1', 'select 2'])
  })

  it('a line of # within a body or a statement, whatever follows', () => {
    const python = "create function f() returns int language plpython3u as $$\n# undo\nreturn 1 # it's\n$$"
    expect(applied(`${python};\nselect 1`)).toEqual([python, 'select 1'])
    const text = `-- +goose Up\n${python};\nselect 1;\n-- +goose Down\nselect 2;`
    expect(applied(text)).toEqual([python, 'select 1'])
    const operator = "select a\n  #> '{down}'\nfrom t"
    expect(applied(operator)).toEqual([operator])
  })

  it('node-pg-migrate: in the part that takes back, the words of the other', () => {
    const text = '-- Up Migration\nselect 1;\n-- Down Migration\n-- up migration made it\nselect 2;'
    expect(applied(text)).toEqual(['select 1'])
    expect(statementsOf(readForm(text).down?.text ?? '')).toEqual(['select 2'])
  })

  it('in a body, beside those that are', () => {
    const body = "select 'b\n-- +goose Down\n'"
    expect(applied(`-- +goose Up\n${body};\n-- +goose Down\nselect 2;`)).toEqual([body])
  })
})

it.each([
  ['-- quoin:no-transaction\nselect 1'],
  ['\uFEFF--quoin:no-transaction\r\nselect 1'],
  ['-- licence\n-- quoin:no-transaction\nselect 1'],
  ['-- +goose NO TRANSACTION\n-- +goose Up\nselect 1;\n-- +goose Down\n'],
  ['-- +goose Up\n-- +goose NO TRANSACTION\nselect 1;'],
  ['-- migrate:up transaction:false\nselect 1\n-- migrate:down\nselect 2'],
  ['-- +migrate Up notransaction\nselect 1;\n-- +migrate Down\nselect 2;'],
  ['---- tern: disable-tx ----\nselect 1;\n---- create above / drop below ----\nselect 2;'],
  ['-- no-transaction\nselect 1'],
  ['--! no-transaction\nselect 1'],
  ['-- atlas:txmode none\n\nselect 1'],
  ['-- evolve-tx-off\nselect 1'],
  ['-- postgres-migrations disable-transaction\nselect 1'],
  ['-- :disable-transaction\nselect 1'],
  ['-- morph:nontransactional\nselect 1'],
  ['-- transactional: false\nselect 1'],
  ['--liquibase formatted sql\n--changeset a:1 runInTransaction:false\nselect 1;'],
])('asks for no transaction: %j', text => {
  expect(applied(text)).toEqual(['select 1'])
  expect(readForm(text).up.usesTransaction).toBe(false)
})

it('asks for no transaction for the part alone that says so', () => {
  const { up, down } = readForm('-- migrate:up\nselect 1\n-- migrate:down transaction:false\nselect 2')
  expect([up.usesTransaction, down?.usesTransaction]).toEqual([true, false])
  expect(readForm('select 1;\n-- no-transaction').up.usesTransaction).toBe(true)
})

it.each([
  ['-- +goose Down\ndrop table a;\n-- +goose Up\ncreate table a ();', 1, 'comes first'],
  ['-- Down Migration\ndrop table a;', 1, 'comes first'],
  ['create table a ();\n-- +goose Down\ndrop table a;', 2, 'no line of goose says where'],
  ['create table a ();\n-- migrate:up\ncreate table b ();', 2, 'statements stand before "-- migrate:up"'],
  [
    'create table a ();\n-- The name is no claim that a\n-- down migration exists.\nselect 1;',
    3,
    'may be a part',
  ],
  ['-- +goose Up\nselect 1;\n-- +goose Dwn\ndrop table a;', 3, 'as a line of goose'],
  ['-- +goose Up\n-- +goose ENVSUB ON\nselect 1;', 2, 'as a line of goose'],
  ['-- migrate:upp\nselect 1;', 1, 'as a line of dbmate'],
  ['-- +migrate Up\nselect 1;\n-- +migrate Don\nselect 2;', 3, 'as a line of sql-migrate'],
  ['-- +goose Up\nselect 1;\n-- migrate:down\nselect 2;', 3, '"-- migrate:down" is of dbmate, and'],
  ['-- +goose Up\nselect 1;\n-- Down Migration\ndrop table a;', 3, 'contradicts "-- +goose Up"'],
  [
    'create table a ();\n\n-- Rollback\ndrop table a;',
    3,
    'looks like the beginning of a part that takes back',
  ],
  ['create table a ();\n-- [DOWN]\ndrop table a;', 2, 'looks like'],
  ['create table a ();\n-- === begin rollback ===\ndrop table a;', 2, 'looks like'],
  ['create table a ();\n-- @undo is not possible\ncreate table b ();', 2, 'looks like'],
  ['create table a ();\n--- create above / drop below ---\ndrop table a;', 2, 'as a line of tern'],
  ['-- +goose Up\nselect 1;\n-- +goose Down\nselect 2;\n-- +goose Up\nselect 3;', 5, 'comes behind'],
  ['# --- up\ncreate table a ();\n# --- down\ndrop table a;', 3, 'looks like'],
  ['--liquibase formatted sql\n--changeset a:1 dbms:mysql\nselect 1;', 2, 'as a line of Liquibase'],
  [
    '--liquibase formatted sql\n--changeset a:1\n--preconditions onFail:MARK_RAN\nselect 1;',
    3,
    'of Liquibase',
  ],
  ['-- Revert app:users from pg\ndrop table users;', 1, 'as a line of Sqitch'],
  ['-- atlas:txtar\n-- checks.sql --\nselect 1;', 1, 'as a line of Atlas'],
  ['-- atlas:checkpoint\nselect 1;', 1, 'as a line of Atlas'],
  ['-- quoin:no-transactions\nselect 1;', 1, 'as a line of Quoin'],
])('is not certain: %j', (text, line, reason) => {
  expect(readForm(text).uncertain).toEqual({ line, reason: expect.stringContaining(reason) })
})
