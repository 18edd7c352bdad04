// The parser for tests in Node: the same factory, with the module read from the package.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import {
  boundMemory,
  PARSER_MEMORY_BYTES_MAX,
  PARSER_MEMORY_BYTES_MIN,
} from '../../../scripts/parser-memory.ts'
import { makeSqlParser, type SqlParser } from '../../../src/features/sql/parser.ts'

const wasmPath = createRequire(import.meta.url).resolve('libpg-query/wasm/libpg-query.wasm')
const bytes = readFileSync(wasmPath)
const asPublished = new WebAssembly.Module(bytes)

/** The module with the memory that an isolate has for it. */
export const boundedWasm = new WebAssembly.Module(
  boundMemory(bytes, PARSER_MEMORY_BYTES_MIN, PARSER_MEMORY_BYTES_MAX),
)

/** How many instances were made so far, by all parsers of this process. */
export const instances = { count: 0 }

export function loadNodeParser(wasm = asPublished): Promise<SqlParser> {
  return makeSqlParser(imports => {
    instances.count++
    return new WebAssembly.Instance(wasm, imports)
  })
}
