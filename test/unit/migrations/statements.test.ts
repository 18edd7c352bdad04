import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import {
  eachStatement,
  splitStatements,
} from '../../../src/features/migrations/statements/split-statements.ts'

/** Both ways of splitting find the same. */
function textsOf(sql: string): string[] {
  const statements = splitStatements(sql)
  expect([...eachStatement(sql)].filter(found => found !== undefined)).toEqual(statements)
  return statements.map(({ start, end }) => sql.slice(start, end))
}

it('splits at semicolons, without the blanks and comments around statements', () => {
  expect(textsOf(' select 1 ; -- one; two\n\n/* three; */ select 2\n;;; -- end')).toEqual([
    'select 1',
    'select 2',
  ])
  expect(textsOf('')).toEqual([])
  expect(textsOf('-- nothing; at all')).toEqual([])
  expect(textsOf('select 1; select 2 -- no semicolon')).toEqual(['select 1', 'select 2'])
})

it('leaves semicolons in strings, names, dollar quotes and comments alone', () => {
  for (const part of [
    `'a;b'`,
    `'it''s;'`,
    `'back\\'`,
    `E'it\\'s;'`,
    `e'\\\\'`,
    `E'a' -- on;\n  'it\\';s'`,
    `U&'d\\0061;' uescape '!'`,
    `U&"a;b"`,
    `"a;""b;"`,
    `B'1'`,
    `N'a;'`,
    '$$a;b$$',
    '$_tag1$ $$;$$ $tag$;$_tag1$',
    '$é$;$é$',
    'name$with$dollars',
    '$1',
    '/* a /* b; */ c; */ 1',
    '/**/1/***/',
    '1 --;\n + 1',
    '1 --;\r + 1',
    '2 /* ; */ - 1',
  ]) {
    const sql = `select ${part}; select 2`
    expect(textsOf(sql), part).toEqual([`select ${part}`.replace(/\/\*\*\*\/$/, ''), 'select 2'])
  }
})

it('knows an E string by its whole prefix', () => {
  expect(textsOf(`select typee'\\'; select 2`)).toEqual([`select typee'\\'`, 'select 2'])
  expect(textsOf(`select 'a'\n'\\'; select 2`)).toEqual([`select 'a'\n'\\'`, 'select 2'])
})

it('keeps together what stands in parentheses and in the bodies of SQL-standard functions', () => {
  const rule = 'create rule r as on insert to t do also (select 1; select 2)'
  const body = `create or replace function f(x int) returns int language sql
begin atomic
  select case when x > 1 then 1 else 2 end as end;
  select t.end from t;
  select "end" from t; -- end
  select (case x when 1 then 2 end);
end`
  expect(textsOf(`${rule};\n${body};\nselect 3;`)).toEqual([rule, body, 'select 3'])
  expect(textsOf('begin; select 1; end; select 2')).toEqual(['begin', 'select 1', 'end', 'select 2'])
})

it('says the line of each statement, of files with CRLF and a byte order mark too', () => {
  const sql = '\uFEFFselect 1;\r\n-- two\r\n\r\nselect\r\n2; select 3;'
  expect(splitStatements(sql).map(({ start, line }) => [start, line])).toEqual([
    [1, 1],
    [sql.lastIndexOf('select\r'), 4],
    [sql.indexOf('select 3'), 5],
  ])
})

it('goes to the end of the text when something is not closed', () => {
  for (const sql of [`select 'a;`, `select "a;`, 'select $a$;', 'select /* ;', 'select (1;', `select E'\\`])
    expect(textsOf(`select 1; ${sql}`)[1], sql).toBe(sql.replace(' /* ;', ''))
})

it('names COPY FROM STDIN and psql commands as what cannot run here, and goes on behind them', () => {
  const sql = [
    '\\connect other -- it;s',
    'select 1;',
    'copy public.t (a, "from") from stdin with (format csv);',
    "1,it's;",
    '\\.',
    "copy t (a) from '/file';",
    'select 2 \\gexec',
    'select 3;',
    '\\echo end',
  ].join('\r\n')
  expect(splitStatements(sql).map(it => [sql.slice(it.start, it.end), it.unsupported])).toEqual([
    ['\\connect other -- it;s', 'psql_command'],
    ['select 1', undefined],
    ['copy public.t (a, "from") from stdin with (format csv)', 'copy_from_stdin'],
    ["copy t (a) from '/file'", undefined],
    ['select 2 \\gexec', 'psql_command'],
    ['select 3', undefined],
    ['\\echo end', 'psql_command'],
  ])
  expect(textsOf('copy t from stdin;\n1\nselect 2;')).toEqual(['copy t from stdin'])
  expect(
    splitStatements('copy t to stdout; copy (select 1 from stdin) to stdout').map(it => it.unsupported),
  ).toEqual([undefined, undefined])
})

it('reads a whole program in dollar quotes as one statement', async () => {
  const text = await readFile(new URL(import.meta.url), 'utf8')
  const quoted = `do $do$${text.replaceAll('$do$', '')}$do$`
  expect(textsOf(`${quoted};select 1`)).toEqual([quoted, 'select 1'])
})

it('tells of each piece that was read, where no statement ends or nothing but blanks is', () => {
  const PIECE = 65_536
  for (const [long, pieces] of [
    ['x,'.repeat(5 * PIECE), 10],
    [' '.repeat(10 * PIECE), 10],
    ['--\n'.repeat(10 * PIECE), 30],
    [`/*${'*'.repeat(10 * PIECE)}*/`, 1],
  ] as const) {
    const found = [...eachStatement(`select 1; ${long} select 2; select 3`)]
    expect(found.filter(statement => statement === undefined)).toHaveLength(pieces)
    expect(found.filter(statement => statement !== undefined).at(-1)).toMatchObject({
      line: expect.any(Number),
    })
    textsOf(`select 1; ${long} select 2; select 3`)
  }
})

it('takes the lines by which pg_dump restricts psql for comments', () => {
  expect(textsOf('\\restrict Xy1\n\nselect 1;\n\\unrestrict Xy1\n')).toEqual(['select 1'])
  expect(splitStatements('select 1 \\restrict a')).toMatchObject([{ unsupported: 'psql_command' }])
})
