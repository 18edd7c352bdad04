import { expect, it } from 'vitest'
import { PostgresError } from '../../../src/db/postgres-error.ts'
import {
  EXCERPT_CHARACTERS_MAX,
  failingStatement,
} from '../../../src/features/migrations/failing-statement.ts'
import { splitStatements } from '../../../src/features/migrations/statements.ts'
import { loadNodeParser } from '../sql/node-parser.ts'

const parser = await loadNodeParser()

const FILE = `-- a first; comment
create function f() returns trigger language plpgsql as $f$
begin
  new.a := 'é;😀';
  return new;
end $f$;
create trigger x before insert on t for each row execute function f();
comment on table t is 'it''s; "quoted"';
/* a /* nested; */ comment */
select 😀 frm from t wher x;
select 2;
`

it('finds the statement that Postgres refuses, behind functions, quotes, comments and astral characters', async () => {
  const refused = await parser.parse(FILE).catch((err: unknown) => err)
  expect(refused).toBeInstanceOf(PostgresError)
  const failing = failingStatement(FILE, splitStatements(FILE), (refused as PostgresError).position)
  expect(failing).toMatchObject({ index: 3, excerpt: 'select 😀 frm from t wher x', line: 10 })
})

it('gives the last statement for an end of the text, and the first for what is before it', () => {
  const sql = ' select 1; select (\n -- more\n'
  const statements = splitStatements(sql)
  expect(failingStatement(sql, statements, sql.length + 1)?.excerpt).toBe('select (')
  expect(failingStatement(sql, statements, 1)?.excerpt).toBe('select 1')
  expect(failingStatement(sql, statements, 10)?.excerpt).toBe('select 1')
  expect(failingStatement(sql, statements, undefined)).toBeUndefined()
  expect(failingStatement('', [], 1)).toBeUndefined()
})

it('does not count a byte order mark, which is not sent', () => {
  const sql = '\uFEFFselect 1;select 2'
  expect(failingStatement(sql, splitStatements(sql), 10)?.excerpt).toBe('select 2')
})

it('cuts long statements around the place, never through a character', () => {
  const sql = `select '${'😀'.repeat(5_000)}', wrong, '${'😀'.repeat(5_000)}'`
  const position = 'select '.length + 5_002 + 2 + 1
  const failing = failingStatement(sql, splitStatements(sql), position)
  expect(failing?.excerpt).toContain(', wrong, ')
  expect(failing?.excerpt.length).toBeLessThanOrEqual(EXCERPT_CHARACTERS_MAX)
  expect(failing?.excerpt).toMatch(/^…😀.*😀…$/u)
  expect(failing?.excerpt.isWellFormed()).toBe(true)
})
