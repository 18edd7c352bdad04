// The parser for tests in Node: the same factory, with the module read from the package.

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { makeSqlParser, type SqlParser } from '../../../src/features/sql/parser.ts'

const wasmPath = createRequire(import.meta.url).resolve('libpg-query/wasm/libpg-query.wasm')
const wasm = new WebAssembly.Module(readFileSync(wasmPath))

/** How many instances were made so far, by all parsers of this process. */
export const instances = { count: 0 }

export function loadNodeParser(): Promise<SqlParser> {
  return makeSqlParser(imports => {
    instances.count++
    return new WebAssembly.Instance(wasm, imports)
  })
}
