// SQL texts for `parser.ts`: ordinary ones, and hostile ones by a seeded generator.

/** A generator of numbers from 0 to 1 (mulberry32): the same seed gives the same texts on every machine. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Texts of about `bytes` bytes that people write. */
export function ordinaryTexts(bytes: number): Record<string, string> {
  const row = ",\n  (4711, 'Buy milk and 2 l of café au lait', false, '2026-03-01T12:00:00Z', null, 12.50)"
  const query =
    '\nunion all\nselect t.id, t.title as name, u.email, coalesce(t.done, false) from t ' +
    'join users u on u.id = t.user_id\n' +
    "where t.created_at > now() - interval '7 days' and u.role in ('admin', 'editor') and t.title ilike '%milk%'"
  const column = ', -- in euros\n  column_name numeric(12, 2) not null default 0 check (column_name >= 0)'
  return {
    'INSERT of many rows': `insert into todos values (1, 'first', true, now(), null, 1)${filled(row, bytes)}`,
    'UNION ALL of queries': `select 1, 'a', 'b', true${filled(query, bytes)}`,
    'CREATE TABLE': `create table t (id bigint primary key${filled(column, bytes)}\n)`,
  }
}

/** What a hostile text is: its repeated part tells what it attacks. */
export interface HostileText {
  sql: string
  parts: readonly string[]
}

/** A text of about `bytes` bytes: half of them repeat a production of the grammar, half what no grammar knows. */
export function hostileText(random: () => number, bytes: number): HostileText {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T
  const [tokens, separators] = random() < 0.4 ? [OPERATORS, ['']] : [[...OPERATORS, ...TOKENS], SEPARATORS]
  const some = (count: number) =>
    Array.from({ length: count }, () => pick(tokens) + pick(separators)).join('')
  if (random() < 0.5) {
    const [head, core, tail] = pick(PRODUCTIONS)
    const filler = random() < 0.5 ? '' : pick(FILLERS)
    const atom = pick(ATOMS)
    const part = core.replaceAll('_', atom) + filler
    return { sql: head + filled(part, bytes) + tail, parts: [head, part, tail] }
  }
  const head = random() < 0.5 ? pick(HEADS) : ''
  const first = some(1 + Math.floor(random() * random() * 6))
  const second = random() < 0.2 ? some(1) : ''
  const tail = random() < 0.5 ? pick(HEADS) : ''
  const sql = second ? filled(first, bytes / 2) + filled(second, bytes / 2) : filled(first, bytes)
  return { sql: head + sql + tail, parts: [head, first, second, tail] }
}

/** A text of one part again and again. */
function filled(part: string, bytes: number): string {
  return part.repeat(Math.max(1, Math.floor(bytes / Buffer.byteLength(part))))
}

/** Operators, comments, and runs that are just short enough for the guard. */
const OPERATORS = [
  ...'+ - * / < > = ~ ! @ # % ^ & | ` ? -> ->> #>> @> || +- -+ @- /* */ /**/ -- <= <>'.split(' '),
  ...['+'.repeat(250), '+-'.repeat(125), '/**/'.repeat(90), '+/**/'.repeat(70), '/**/*'.repeat(80), '*/ /*'],
]
/** Whatever else has a rule of its own in Postgres' lexer. */
const TOKENS = [
  ...':: := => .. . , ; ( ) [ ] { } :'.split(' '),
  ...['=====', '-----', '/////', '--x\n', '/* x */', '/*é*/', ' ', '\n', '\r\n', '\t', '\v'],
  ...`$1 $2 $99999 $a$ $$ $1a '' 'a' E' E'\\' e'\\u00e9' U&' U&'\\0041' U&"a" B'01' x'ff' n'a' "" "a" "é" 'é'`.split(
    ' ',
  ),
  ...['é', '🦊', '\u00a0', '\ufeff', '\u0001', '\\', "'", '"', "uescape '!'", 'x'.repeat(70), 'é'.repeat(40)],
  ...'1 0 1.5 1e5 1e 1_000 0x1F 0b1 0o7 0x .5 1. 1..2 a select from where and or not in case when then else end'.split(
    ' ',
  ),
  ...'join union values null array row exists any all cast interval collate over filter lateral only as default'.split(
    ' ',
  ),
  ...'global temp create table schema begin atomic return language sql grant to set alter drop role cascade'.split(
    ' ',
  ),
]
const SEPARATORS = ['', ' ', '\n', ',']
const HEADS = [
  ...[
    'select ',
    'select 1 ',
    "select '",
    'select "',
    'select $$',
    'select $a$',
    '/*',
    '--',
    "select E'",
    "select U&'",
    'é ',
  ],
  ...[
    'select * from ',
    'create table t (',
    'with a as (',
    'select f(',
    'values ',
    "select b'",
    ' from a',
    ')',
    "'",
    '*/',
  ],
]
const ATOMS = [
  'a',
  '1',
  '$1',
  "'é'",
  '"ü"',
  '1.5',
  'null',
  'a.b',
  "'x'::text",
  'f(1)',
  '(select 1)',
  '+1',
  'not a',
]
const FILLERS = [' ', '\n', '/**/', '--\n', '/* é */ ', '\t\t\t\t']
/** What the grammar repeats: head, repeated part with `_` for an atom, tail. */
const PRODUCTIONS: readonly (readonly [string, string, string])[] = [
  ['select ', '_,', '1'],
  ['select 1', ' and _', ''],
  ['select 1', ' or _', ''],
  ['select 1', '+_', ''],
  ['select 1', '||_', ''],
  ['select 1', ' #>> _', ''],
  ['select ', '- ', '1'],
  ['select ', 'not ', '_'],
  ['select ', '(', ''],
  ['select ', 'f(', ''],
  ['select a', '::int', ''],
  ['select a', '[1]', ''],
  ['select a', '.b', ''],
  ['select a', ' is null', ''],
  ['select a', ' collate b', ''],
  ['select a', ' at time zone _', ''],
  ['select a in (', '_,', '1)'],
  ['select array[', '_,', '1]'],
  ['select f(', 'a => _,', 'b => 1)'],
  ['select case', ' when _ then _', ' end'],
  ['select ', 'case when _ then ', ''],
  ['select json_object(', "'a': _,", "'b': 1)"],
  ['select * from a', ' join b on _', ''],
  ['select * from a', ', lateral (select _) b', ''],
  ['', 'select * from (', ''],
  ['with a as (select 1)', ', a as (select _)', ' select 1'],
  ['', 'with a as (', ''],
  ['select 1', ' union select _', ''],
  ['values (1)', ',(_)', ''],
  ['select 1 group by ', '_,', 'a'],
  ['select 1 order by ', '_ desc nulls last,', 'a'],
  ['select 1 from t window ', 'a as (partition by _),', 'a as ()'],
  ['insert into t values (1)', ',(_)', ' on conflict do nothing'],
  ['update t set a = 1', ', a = _', ''],
  ['create table t (a int', ', a int default _', ')'],
  ['create schema s ', 'create table t() ', ''],
  ['create function f() returns int begin atomic ', 'select _;', ' end'],
  ['create function f(', 'a int default _,', "a int) returns int as ''"],
  ['alter table t drop b', ', add a int', ''],
  ['grant select', ', update', ' on a to b'],
  ['grant select on a to b', ', b', ''],
  ['drop role a', ', b', ''],
  ['set a', '.b', ' = 1'],
  ['set a = 1', ', _', ''],
  ['create operator + (', 'a = _,', 'b = 1)'],
  ['merge into a using b on true', ' when matched and _ then delete', ''],
  ['', 'select _;', ''],
  ['', 'table a;', ''],
  ['', 'create global temp table a(); ', ''],
  ['select ', '(select _ into global temp a),', '1'],
  ["select 'a'", "\n'é'", ''],
  ["select U&'", '\\0041', "'"],
  ["select E'", '\\u00e9', "'"],
]
