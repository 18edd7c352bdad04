// `npm run bench:parser`: what the SQL parser takes per kilobyte of ordinary and of hostile text. Guard, libpg_query
// and the reading of its tree are measured together, with the memory of an isolate. Prints tables; asserts nothing.

import { cpus } from 'node:os'
import { boundedWasm, loadNodeParser } from '../test/unit/sql/node-parser.ts'
import { type HostileText, hostileText, ordinaryTexts, seeded } from './parser-texts.ts'

const TEXTS = Number(process.env['BENCH_TEXTS'] ?? 1_000)
const BYTES = Number(process.env['BENCH_BYTES'] ?? 200_000)
const SEED = Number(process.env['BENCH_SEED'] ?? 1)
/** The slowest are measured again, so that a pause of the machine is not taken for a text. */
const AGAIN = 20
const SHOWN = 5

const parser = await loadNodeParser(boundedWasm)

/** Microseconds per kilobyte, with the new instance that the next call needs where this text used one up. */
async function measure(sql: string): Promise<number> {
  const startedAt = performance.now()
  await parser.parse(sql).catch(() => undefined)
  await parser.parse('select 1')
  return ((performance.now() - startedAt) * 1e6) / Buffer.byteLength(sql)
}

async function best(sql: string): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < 5; i++) least = Math.min(least, await measure(sql))
  return least
}

async function measureOrdinary(): Promise<number> {
  console.log('| ordinary text | us/KB |\n|---|---|')
  const figures: number[] = []
  for (const [name, sql] of Object.entries(ordinaryTexts(BYTES))) {
    const figure = await best(sql)
    figures.push(figure)
    console.log(`| ${name} | ${figure.toFixed(0)} |`)
  }
  return figures.reduce((sum, figure) => sum + figure, 0) / figures.length
}

async function slowest(): Promise<{ text: HostileText; figure: number }[]> {
  const random = seeded(SEED)
  const measured: { text: HostileText; figure: number }[] = []
  const seen = new Set<string>()
  while (seen.size < TEXTS) {
    const text = hostileText(random, BYTES)
    if (seen.size === seen.add(text.parts.join('\n')).size) continue
    measured.push({ text, figure: await measure(text.sql) })
    measured.sort((a, b) => b.figure - a.figure).splice(AGAIN)
  }
  for (const one of measured) one.figure = await best(one.text.sql)
  return measured.sort((a, b) => b.figure - a.figure)
}

console.log(`\n${cpus().length} x ${cpus()[0]?.model.trim()}, Node ${process.versions.node}`)
console.log(`${TEXTS} hostile texts of ${BYTES} bytes, seed ${SEED}\n`)
// Hostile ones first: WebAssembly is compiled for speed while it runs, and the ordinary must not pay for that.
const hostile = await slowest()
const ordinary = await measureOrdinary()
console.log(
  `\n| hostile text (its parts) | us/KB | of the ordinary mean, ${ordinary.toFixed(0)} |\n|---|---|---|`,
)
for (const { text, figure } of hostile.slice(0, SHOWN))
  console.log(`| \`${shown(text)}\` | ${figure.toFixed(0)} | ${(figure / ordinary).toFixed(1)} |`)

function shown({ parts }: HostileText): string {
  return JSON.stringify(parts.map(part => (part.length > 40 ? `${part.slice(0, 40)}...` : part))).replaceAll(
    '|',
    '\\|',
  )
}
