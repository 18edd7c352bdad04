import { expect, it } from 'vitest'
import { PostgresError } from '../../../src/db/postgres-error.ts'
import {
  EXCERPT_CHARACTERS_MAX,
  failingStatement,
} from '../../../src/features/migrations/statements/failing-statement.ts'
import { splitStatements } from '../../../src/features/migrations/statements/split-statements.ts'
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
select '😀',
  1 frm from t wher x;
select 2;
`

function nth(text: string, index: number) {
  const statement = splitStatements(text)[index]
  if (statement === undefined) throw new Error(`no statement ${index}`)
  return statement
}

it('shows the line that Postgres points at, behind functions, quotes, comments and astral characters', async () => {
  const statement = nth(FILE, 3)
  const sent = FILE.slice(statement.start, statement.end)
  const refused = await parser.parse(sent).catch((err: unknown) => err)
  expect(refused).toBeInstanceOf(PostgresError)
  expect(failingStatement(FILE, statement, (refused as PostgresError).position)).toEqual({
    excerpt: "select '😀',\n  1 frm from t wher x",
    line: 11,
  })
})

it('shows the first line without a position, and the last for an end of the statement', () => {
  const sql = ' select 1;\nselect (\n -- more\n1'
  const statement = nth(sql, 1)
  expect(failingStatement(sql, statement, undefined)).toEqual({ excerpt: 'select (\n -- more\n1', line: 2 })
  expect(failingStatement(sql, statement, 1_000).line).toBe(4)
})

it('cuts long statements around the place, never through a character', () => {
  const sql = `select 1; select '${'😀'.repeat(5_000)}', wrong, '${'😀'.repeat(5_000)}'`
  const position = 'select '.length + 5_002 + 2 + 1
  const { excerpt } = failingStatement(sql, nth(sql, 1), position)
  expect(excerpt).toContain(', wrong, ')
  expect(excerpt.length).toBeLessThanOrEqual(EXCERPT_CHARACTERS_MAX)
  expect(excerpt).toMatch(/^…😀.*😀…$/u)
  expect(excerpt.isWellFormed()).toBe(true)
})
