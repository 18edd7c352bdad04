// The build step of wrangler.toml: writes build/libpg-query.wasm, the SQL parser's module with a bounded memory.

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { boundMemory, PARSER_MEMORY_BYTES_MAX, PARSER_MEMORY_BYTES_MIN } from './parser-memory.ts'

const TARGET = new URL('../build/libpg-query.wasm', import.meta.url)

const source = createRequire(import.meta.url).resolve('libpg-query/wasm/libpg-query.wasm')
const bounded = boundMemory(await readFile(source), PARSER_MEMORY_BYTES_MIN, PARSER_MEMORY_BYTES_MAX)
const present = await readFile(TARGET).catch(() => undefined)
// Written only when it differs: a newer file would set off wrangler's watcher for nothing.
if (!present?.equals(bounded)) {
  await mkdir(new URL('.', TARGET), { recursive: true })
  await writeFile(TARGET, bounded)
}
