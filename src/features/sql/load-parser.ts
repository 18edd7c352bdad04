// The parser as workerd gets it: the compiled module is part of the Worker's bundle. Node cannot import this file.

/// <reference path="./libpg-query.d.ts" />
import wasm from '../../../build/libpg-query.wasm'
import { makeSqlParser, type SqlParser } from './parser.ts'

/** An instance of the bundled parser; about 10 ms, so it is made on the first call that needs it. */
export function loadSqlParser(): Promise<SqlParser> {
  return makeSqlParser(imports => new WebAssembly.Instance(wasm, imports))
}
