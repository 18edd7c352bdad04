// `npm run bench:splitter`: what splitting a migration into its statements takes per megabyte of ordinary and of
// hostile text, at two sizes, and what a check of many statements takes. Prints tables; asserts nothing.

import { cpus } from 'node:os'
import { findFindings } from '../src/features/migrations/findings/find-findings.ts'
import { splitStatements } from '../src/features/migrations/statements/split-statements.ts'
import { StatementReader } from '../src/features/sql/statement.ts'
import { loadNodeParser } from '../test/unit/sql/node-parser.ts'

const SMALL_BYTES = 1_000_000
const LARGE_BYTES = 5_000_000
const ROUNDS = 5

/** What a text is made of; the first is ordinary. */
const PARTS = [
  "insert into t values (1, 'some words');\n",
  'select 1;',
  'create function f() begin atomic ',
  'copy t from stdin;',
  'create ',
  '$a',
  '$$;',
  '/*',
  '*/',
  "E'\n",
  "E'a'\n-- ",
  '\n --',
  '(',
  ';',
  '\\x;',
  '-',
  'a"',
  ' ',
]

function textOf(part: string, bytes: number): string {
  return part.repeat(bytes / part.length)
}

/** Milliseconds for each megabyte, the best of some rounds. */
async function best(bytes: number, work: () => unknown): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS; round++) {
    const startedAt = performance.now()
    await work()
    least = Math.min(least, performance.now() - startedAt)
  }
  return (least * 1e6) / bytes
}

console.log(`\n${cpus().length} x ${cpus()[0]?.model.trim()}, Node ${process.versions.node}`)
console.log('\n| text of | ms/MB at 1 MB | ms/MB at 5 MB | ratio (1: linear) |\n|---|---|---|---|')
for (const part of PARTS) {
  const small = textOf(part, SMALL_BYTES)
  const large = textOf(part, LARGE_BYTES)
  const [ofSmall, ofLarge] = [
    await best(SMALL_BYTES, () => splitStatements(small)),
    await best(LARGE_BYTES, () => splitStatements(large)),
  ]
  const figures = [ofSmall.toFixed(1), ofLarge.toFixed(1), (ofLarge / ofSmall).toFixed(2)]
  console.log(`| \`${JSON.stringify(part).slice(1, -1)}\` | ${figures.join(' | ')} |`)
}

const deps = {
  sql: { statements: new StatementReader(() => loadNodeParser()) },
  platform: { query: () => Promise.resolve([]) },
}
console.log('\n| a check of | ms |\n|---|---|')
for (const text of [
  'insert into t values (1);',
  "alter table t add c text not null default 'x';",
  `insert into t values (1)${', (1)'.repeat(50_000)};`,
]) {
  const statements = Array.from({ length: LARGE_BYTES / text.length }, () => ({ text, line: 1 }))
  const file = { name: 'one', statements, runsInTransaction: true }
  const perMegabyte = await best(1e6, () => findFindings(deps, [file], ['public']))
  console.log(`| ${statements.length} times \`${text.slice(0, 50)}\` | ${perMegabyte.toFixed(0)} |`)
}
