// The findings on locks and copies against those of squawk, a linter of migrations, which knows the text alone too.
// What both say of a statement is brought to one line: the strongest lock that blocks somebody, and whether rows are
// copied.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { findFindings } from '../../../src/features/migrations/findings/find-findings.ts'
import { LOCK_MODES, type LockMode } from '../../../src/features/migrations/findings/table-effect.ts'
import { StatementReader } from '../../../src/features/sql/statement.ts'
import { loadNodeParser } from '../sql/node-parser.ts'
import { platformWith } from './fake-platform.ts'

const SHARE = 'SHARE'
const SRE = 'SHARE ROW EXCLUSIVE'
const AEL = 'ACCESS EXCLUSIVE'
const COPIED = `${AEL}, copies`
const NOBODY = 'blocks nobody'
/** squawk has a word for the lock of some statements only. */
const SILENT = 'names no lock'
const COPYING_RULES = ['adding-field-with-default', 'changing-column-type']

const deps = {
  sql: { statements: new StatementReader(() => loadNodeParser()) },
  platform: platformWith(() => true),
}
let ofSquawk: Map<string, string>

const AGREED: readonly string[] = [
  'alter table t add x mood',
  "alter table t add x mood default 'happy'",
  'alter table t add x int',
  'alter table t add x int not null default 1',
  'alter table t add x timestamptz default now()',
  'alter table t add x int default changing()',
  'alter table t add x int default fixed()',
  'alter table t add x uuid default gen_random_uuid()',
  'alter table t add x int generated always as identity',
  'alter table t add x int generated always as (a * 2) stored',
  'alter table t add x int unique',
  'alter table t add x int check (x > 0)',
  'alter table t add x int references o',
  'alter table t add x int default 1 references o',
  'alter table t drop column c',
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
  'alter table t cluster on t_a',
  'alter table t disable trigger tr',
  'alter table t enable row level security',
  'alter table t no force row level security',
  'alter table o disable rule ru',
  'alter table t replica identity full',
  'alter table t owner to current_user',
  'alter table t set schema s',
  'alter table p attach partition p2 for values from (2000) to (4000)',
  'alter table p detach partition p1',
  'alter table p2 inherit base',
  'create index on t (b)',
  'create unique index on t (id)',
  'drop index t_a',
  'reindex table t',
  'reindex index t_a',
  'drop table p2',
  'drop view w',
  'refresh materialized view concurrently m',
  'lock table t in share mode',
  'lock table t',
  'lock table t in row exclusive mode',
  "comment on table t is 'x'",
  'create index concurrently i on t (a)',
  'drop index concurrently t_a',
  'reindex (concurrently) table t',
  'vacuum t',
  'alter table p detach partition p1 concurrently',
  'truncate t cascade',
  'alter table t add x int default 1, alter c type bigint',
  'alter table t set (fillfactor = 70), add constraint q foreign key (a) references o',
  "alter table if exists only t add x text default '' not null",
  'alter table t add x float default random()',
  "alter table t add x text[] default '{}'",
  "alter table t add x jsonb default '{}'::jsonb",
  'alter table t add x timestamptz default clock_timestamp()',
]

const DIFFERENT: readonly (readonly [statement: string, ours: string, squawks: string])[] = [
  // squawk takes each function, and each expression that is no literal, for volatile; `-1` is one too. What is the same
  // for all rows is kept in the catalog.
  ["alter table t add x text default lower('A')", AEL, COPIED],
  ['alter table t add x int default -1', AEL, COPIED],
  // A virtual column is computed when it is read, so adding it copies nothing.
  ['alter table t add x int generated always as (a * 2) virtual', AEL, COPIED],
  // The default of a serial column differs from row to row, so all rows are copied.
  ['alter table t add x serial', COPIED, AEL],
  // It is a domain, which may have constraints that are checked row by row; squawk has no database to ask.
  ['alter table t add x short', COPIED, AEL],
  // squawk has no rule for these copies.
  ['alter table t alter g set expression as (a * 3)', COPIED, AEL],
  ['alter table ul set logged', COPIED, AEL],
  ['alter table p2 set unlogged', COPIED, AEL],
  ['alter table t set access method heap', COPIED, AEL],
  ['refresh materialized view m', COPIED, AEL],
  ['cluster t using t_a', COPIED, AEL],
  ['vacuum full t', COPIED, AEL],
  // This parameter changes what readers see, unlike the other storage parameters.
  ['alter table t set (user_catalog_table = true)', AEL, NOBODY],
  // squawk knows the locks of fewer statements. These block others.
  ['alter view w set (security_barrier = true)', AEL, SILENT],
  ['alter view w rename to ww', AEL, SILENT],
  ['alter sequence seq restart', SRE, SILENT],
  ['alter sequence seq owned by t.a', SRE, SILENT],
  ['alter policy po on t using (false)', AEL, SILENT],
  ['alter trigger tr on t rename to tt', AEL, SILENT],
  ['create trigger tt after update on t for each row execute function run()', SRE, SILENT],
  ['drop trigger tr on t', AEL, SILENT],
  ['create policy pp on t using (true)', AEL, SILENT],
  ['drop policy po on t', AEL, SILENT],
  ['create rule rr as on delete to o do also notify x', AEL, SILENT],
  ['drop rule ru on o', AEL, SILENT],
  ['drop sequence seq', AEL, SILENT],
  ['create or replace view w as select id from t', AEL, SILENT],
  ['create table n (id int references o)', SRE, SILENT],
  ['create table n partition of p for values from (2000) to (3000)', AEL, SILENT],
  ["alter domain short add check (value <> '')", SHARE, SILENT],
  // And these do not, though squawk takes some of them for slow.
  ['alter index t_a rename to t_aa', NOBODY, SILENT],
  ['alter index t_a set (fillfactor = 70)', NOBODY, SILENT],
  ["alter type mood add value 'sad'", NOBODY, SILENT],
  ['alter domain short drop constraint short_check', NOBODY, SILENT],
  ['create table n () inherits (p2)', NOBODY, SILENT],
  ['create table n (like t including all)', NOBODY, SILENT],
  ['create table n as select * from o', NOBODY, SILENT],
  ['update o set n = 2', NOBODY, SILENT],
  ['delete from ul', NOBODY, SILENT],
  ['update t set a = 2 where id = 1', NOBODY, SILENT],
  ['insert into t (id, n) values (5000, 5000)', NOBODY, SILENT],
  ['grant select on t to public', NOBODY, SILENT],
  ['analyze t', NOBODY, SILENT],
  ['create statistics st on a, b from t', NOBODY, SILENT],
  ['create publication pub for table t', NOBODY, SILENT],
  ['create function f() returns int language sql return 1', NOBODY, SILENT],
]

it('agrees with squawk on at least 60 statements', () => {
  expect(new Set(AGREED).size).toBeGreaterThanOrEqual(60)
})

beforeAll(() => {
  ofSquawk = askSquawk([...AGREED, ...DIFFERENT.map(([statement]) => statement)])
})

it.each(AGREED)('says of %s what squawk says', async statement => {
  expect(await ours(statement)).toBe(ofSquawk.get(statement))
})

it.each(DIFFERENT)('says of %s: %s, where squawk says: %s', async (statement, said, squawks) => {
  expect(await ours(statement)).toBe(said)
  expect(ofSquawk.get(statement)).toBe(squawks)
})

async function ours(text: string): Promise<string> {
  const files = [{ name: 'one', statements: [{ text, line: 1 }], runsInTransaction: false }]
  const findings = await findFindings(deps, files, ['public'])
  const locks = findings.map(({ lock }) => lock)
  return lineOf(
    LOCK_MODES.findLast(mode => locks.includes(mode)),
    findings.some(({ rewrites }) => rewrites),
  )
}

function lineOf(lock: LockMode | undefined, copies: boolean): string {
  const blocks = lock !== undefined && LOCK_MODES.indexOf(lock) >= LOCK_MODES.indexOf(SHARE)
  return `${blocks ? lock : NOBODY}${copies ? ', copies' : ''}`
}

interface Violation {
  file: string
  rule_name: string
  help: string | null
}

/** One process for all: each statement is a file, since squawk names the lock once in a file. */
function askSquawk(texts: readonly string[]): Map<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'quoin-squawk-'))
  try {
    const names = texts.map((_, i) => `${i}.sql`)
    for (const [i, text] of texts.entries()) writeFileSync(join(folder, `${i}.sql`), `${text};\n`)
    const program = createRequire(import.meta.url).resolve('squawk-cli/js/bin/squawk')
    const args = [program, '--reporter', 'json', '--pg-version', '18', ...names]
    const { stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
    const violations = JSON.parse(stdout) as Violation[]
    return new Map(texts.map((text, i) => [text, squawkLine(violations.filter(it => it.file === names[i]))]))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function squawkLine(violations: readonly Violation[]): string {
  const help = violations.find(it => it.rule_name === 'require-lock-timeout')?.help ?? ''
  const named = /requires: ([A-Z ]+) lock/.exec(help)?.[1]
  const lock = LOCK_MODES.find(mode => mode === named)
  if (lock === undefined) return SILENT
  return lineOf(
    lock,
    violations.some(it => COPYING_RULES.includes(it.rule_name)),
  )
}
