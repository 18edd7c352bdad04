// What is said of migrations that cannot run, and which statement is shown. Behind them the whole catalog is as it was.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  applyPending,
  changesBetween,
  failureOf,
  type MigrationDatabase,
  migrationDatabase,
  type Snapshot,
  snapshot,
} from '../../support/migrations.ts'

let database: MigrationDatabase
let before: Snapshot

beforeAll(async () => {
  database = await migrationDatabase()
  await database.owner.query('create table public.notes (id int primary key, body text)')
  before = await snapshot(database.owner)
})

// Of all of them at once: each leaves nothing, so that they leave nothing together.
afterAll(async () => {
  const changes = changesBetween(before, await snapshot(database.owner))
  await database[Symbol.asyncDispose]()
  expect(changes).toEqual([])
})

/** The failure of one file behind one that would have run. */
const failing = (name: string, content: string | Uint8Array) =>
  failureOf(database, { '0001_first.sql': 'create table first ()', [name]: content })

describe('the statement that is shown is the one that failed', () => {
  const FUNCTION = `-- a; comment with 'quotes' and $$
create function f() returns trigger language plpgsql as $body$
begin
  -- ; not the end
  new.body := 'it''s; "quoted" é😀';
  return new;
end $body$;`
  const TRIGGER = 'create trigger t before insert on notes for each row execute function f();'
  const RAISES =
    "create function g() returns void language plpgsql as $$ begin raise exception 'no; %', 1; end $$;"
  const NESTED = '/* a /* nested; */ comment; */'

  it.each([
    ['a syntax error', `${FUNCTION}\n${TRIGGER}\nselect 1 frm x;\nselect 2`, 'select 1 frm x', 9, '42601'],
    [
      'a name that is not there',
      `${FUNCTION}\n${NESTED}\nselect *\n  from nowhere;`,
      'select *\n  from nowhere',
      10,
      '42P01',
    ],
    [
      'an error without a position',
      `${FUNCTION}${TRIGGER}\n insert into notes values (1, '1;');\n insert into notes values (1, '2');select 1`,
      "insert into notes values (1, '2')",
      9,
      '23505',
    ],
    [
      'an error in a function that is called',
      `${FUNCTION}\n${RAISES}\nselect 1;select g();`,
      'select g()',
      9,
      'P0001',
    ],
    [
      'a function that cannot be made',
      `${FUNCTION}\ncreate function h() returns int language sql as $$ select 1;\n select wrong $$;`,
      'create function h() returns int language sql as $$ select 1;\n select wrong $$',
      9,
      '42703',
    ],
    [
      'a string that is not closed',
      "select 1;\n\nselect E'\\'; select 2;",
      "select E'\\'; select 2;",
      3,
      '42601',
    ],
    [
      'a body of BEGIN ATOMIC',
      'create function k() returns int begin atomic select 1; select case when true then 2 end; end;\nselect k(1)',
      'select k(1)',
      2,
      '42883',
    ],
  ])('%s', async (_, sql, statement, line, code) => {
    expect(await failing('0002_f.sql', sql)).toMatchObject({ file: '0002_f.sql', statement, line, code })
  })

  it('in a .sql file with both directions, counted from its first line', async () => {
    const sql =
      '-- made by hand\n-- Up Migration\n\nselect 1;\nselect wrong;\n-- Down Migration\ndrop table notes;'
    expect(await failing('0002_f.sql', sql)).toMatchObject({ statement: 'select wrong', line: 5 })
  })

  it('in a .cjs file, among the statements of a step and of what it asks', async () => {
    const steps =
      "exports.up = pgm => { pgm.createTable('x', {}); pgm.sql('select 1; select wrong; select 2') }"
    expect(await failing('0002_f.cjs', steps)).toMatchObject({
      statement: 'select wrong',
      line: null,
      code: '42703',
    })
    const asks = "exports.up = async pgm => { await pgm.db.query('select $1::int + wrong', [1]) }"
    expect(await failing('0002_f.cjs', asks)).toMatchObject({
      statement: 'select $1::int + wrong',
      code: '42703',
    })
  })
})

describe('a file that cannot run', () => {
  it.each([
    [
      'does not parse',
      'a.cjs',
      'exports.up = pgm => {\n  pgm.sql(`x`\n}',
      /^0002_a\.cjs:2: SyntaxError: missing \) after/,
    ],
    ['has a syntax error at its end', 'a.cjs', 'exports.up = () => {', /^0002_a\.cjs:\d+: SyntaxError/],
    ['exports nothing', 'a.cjs', '// nothing yet', /exports no function "up"/],
    ['exports null', 'a.cjs', 'module.exports = null', /exports no function "up"/],
    [
      'throws what cannot be shown',
      'a.cjs',
      'throw Object.create(null)',
      /threw something that cannot be shown/,
    ],
    ['hands an error to its callback', 'a.cjs', "exports.up = (pgm, done) => done(new Error('no'))", /^no$/],
    [
      'throws with a callback',
      'a.cjs',
      "exports.up = async (pgm, done) => { throw new Error('no') }",
      /^no$/,
    ],
    ['never calls back', 'a.cjs', 'exports.up = (pgm, done) => {}', /^It has not ended within 5 s/],
    ['never ends', 'a.cjs', 'exports.up = () => new Promise(() => {})', /^It has not ended within 5 s/],
    ['exports no function', 'a.cjs', "exports.up = 'create table x ()'", /exports no function "up"/],
    ['has up disabled', 'a.cjs', 'exports.up = false', /has "up" disabled/],
    ['throws when it is loaded', 'a.cjs', "throw new Error('not on Mondays')", /^not on Mondays$/],
    ['throws', 'a.cjs', "exports.up = () => { throw new Error('not on Mondays') }", /^not on Mondays$/],
    ['throws no error', 'a.cjs', "exports.up = async () => { throw 'not on Mondays' }", /^not on Mondays$/],
    [
      'loads what is not there',
      'a.cjs',
      "require('node:fs')",
      /^require\("node:fs"\): a migration can load nothing but node-pg-migrate/,
    ],
    ['is no UTF-8', 'a.sql', new Uint8Array([0x2d, 0x2d, 0xff]), /^0002_a\.sql is not UTF-8\.$/],
    [
      'is of Knex',
      'a.cjs',
      'exports.up = function (knex) { return knex.schema.createTable("x") }',
      /is a migration of Knex/,
    ],
    [
      'is of Sequelize',
      'a.cjs',
      'module.exports = { async up(queryInterface, Sequelize) {} }',
      /is a migration of Sequelize/,
    ],
    [
      'is of Umzug',
      'a.cjs',
      'exports.up = async ({ context: queryInterface }) => {}',
      /is a migration of Sequelize/,
    ],
    ['is TypeScript', 'a.ts', 'export const up = () => {}', /migrations are \.sql or \.cjs files/],
    ['is an ES module', 'a.mjs', 'export const up = () => {}', /migrations are \.sql or \.cjs files/],
  ])('%s', async (_, name, content, error) => {
    expect((await failing(`0002_${name}`, content)).error).toMatch(error)
  })

  it('shares its name with another', async () => {
    const failure = await failureOf(database, {
      '0001_a.sql': 'select 1',
      '0001_a.cjs': 'exports.up = () => {}',
    })
    expect(failure.error).toBe(
      '0001_a.cjs and 0001_a.sql are one migration to the tracking table: give one of them another name.',
    )
  })

  it.each([
    ['COMMIT', 'create table x (); COMMIT', /cannot begin or end a transaction/, 'COMMIT'],
    [
      'ROLLBACK behind a comment',
      'create table x (); /* ; */ rollback work',
      /cannot begin or end/,
      'rollback work',
    ],
    ['BEGIN', 'begin; create table x (); commit;', /cannot begin or end/, 'begin'],
    [
      'COMMIT in a DO block',
      'create table x (); do $$ begin commit; end $$',
      /invalid transaction termination/,
      'do $$ begin commit; end $$',
    ],
    [
      'CREATE INDEX CONCURRENTLY',
      'create index concurrently i on notes (body)',
      /cannot run in a transaction/,
      'create index concurrently i on notes (body)',
    ],
    ['VACUUM', 'vacuum notes', /cannot run in a transaction/, 'vacuum notes'],
    [
      'COPY FROM STDIN',
      'copy notes from stdin;\n1\ta\n\\.\nselect 1',
      /COPY \.\.\. FROM STDIN reads rows from a client/,
      'copy notes from stdin',
    ],
    ['a command of psql', '\\connect other\nselect 1', /is one of psql/, '\\connect other'],
  ])('holds %s', async (_, sql, error, statement) => {
    const inSql = await failing('0002_a.sql', sql)
    expect(inSql.error).toMatch(error)
    expect(inSql.statement).toBe(statement)
    const inCjs = await failing('0002_a.cjs', `exports.up = pgm => pgm.sql(${JSON.stringify(sql)})`)
    expect(inCjs.error).toMatch(error)
    const asked = await failing('0002_a.cjs', `exports.up = pgm => pgm.db.query(${JSON.stringify(sql)})`)
    expect(asked.error).toMatch(error)
  })

  it.each([
    ['\\connect other', /works in one database/],
    ["\\copy notes from 'a.csv'", /INSERT/],
    ['\\ir more.sql', /statements of that file/],
    ['\\set on true', /into the SQL/],
    ['select 1 \\gexec', /semicolon/],
    ['\\timing on', /^Leave it out\.$/],
  ])('says what to do in place of %s', async (sql, hint) => {
    expect((await failing('0002_a.sql', sql)).hint).toMatch(hint)
  })

  it('says how CREATE INDEX CONCURRENTLY can run', async () => {
    const { hint } = await failing('0002_a.sql', 'create index concurrently i on notes (body)')
    expect(hint).toContain('-- quoin:no-transaction')
  })

  it('asks the database before it says that it runs outside of a transaction', async () => {
    const text = "exports.up = async pgm => { await pgm.db.query('select 1'); pgm.noTransaction() }"
    expect((await failing('0002_a.cjs', text)).error).toMatch(
      /noTransaction\(\) after asking the database: call it first/,
    )
  })

  it('goes back behind its own beginning', async () => {
    const files = {
      '0001_a.sql': 'create table s1 (); savepoint sp; create table s2 ()',
      '0002_b.sql': 'create table s3 ()',
      '0003_c.sql': 'rollback to savepoint sp; create table s4 ()',
    }
    expect(await failureOf(database, files)).toMatchObject({ file: '0003_c.sql', code: '3B001' })
  })

  it.each([
    ['one that is answered in time', 'create table v0 ()'],
    ['one that fails', 'select broken'],
  ])('does not wait for an answer: %s', async (_, sql) => {
    const ask = `pgm.db.query(${JSON.stringify(sql)})`
    const text = `exports.up = pgm => { (async () => { for (;;) await ${ask} })().catch(() => {}) }`
    expect((await failing('0002_a.cjs', text)).error).toMatch(
      /uses pgm\.db without waiting|is aborted|broken/,
    )
    const later = `exports.up = pgm => { setTimeout(() => ${ask}, 1) }`
    const result = await applyPending(database, { '0003_later.cjs': later, '0004_a.sql': 'select 1/0' })
    expect(result.failure).toMatchObject({ file: { name: '0004_a.sql' } })
  })

  it('hides COMMIT in a string that only it takes for none', async () => {
    const text = `exports.up = async pgm => {
      await pgm.db.query('set standard_conforming_strings = off')
      await pgm.db.query("select '\\\\'; commit; select '';")
    }`
    expect(await failureOf(database, { '0002_a.cjs': text, '0003_b.sql': 'select 1/0' })).toBeDefined()
  })

  it('goes on behind an error that it caught', async () => {
    const text = "exports.up = async pgm => { await pgm.db.query('select wrong').catch(() => {}) }"
    expect(await failing('0002_a.cjs', text)).toMatchObject({ file: '0002_a.cjs', code: '25P02' })
  })

  it('takes longer than a statement may', async () => {
    const sql = 'do $$ begin loop perform 1; end loop; end $$'
    const files = { '0001_first.sql': 'create table first ()', '0002_loop.sql': sql }
    expect(await failureOf(database, files, { statementTimeoutMs: 200 })).toMatchObject({
      code: '57014',
      statement: sql,
    })
  })

  it('breaks a constraint that is checked at the end', async () => {
    const sql = 'create table d (id int unique deferrable initially deferred); insert into d values (1), (1)'
    expect(await failing('0002_a.sql', sql)).toMatchObject({ code: '23505', statement: 'COMMIT' })
  })

  it('waits five seconds for a lock that somebody else holds, and no longer', async () => {
    await database.owner.query('begin; lock table notes in access share mode')
    try {
      const sql = 'create table y (); alter table notes add column later int'
      const failure = await failing('0002_a.sql', sql).finally(() => database.owner.query('rollback'))
      expect(failure).toMatchObject({ code: '55P03', statement: 'alter table notes add column later int' })
    } finally {
      await database.owner.query('rollback')
    }
  })
})
