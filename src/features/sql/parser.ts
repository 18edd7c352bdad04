// Postgres' own parser (libpg_query as WebAssembly), in workerd and in Node alike. Owns the instance and its memory.
// Answers syntax trees; what a tree means is `statement-kind.ts`'s affair.

/// <reference path="./libpg-query.d.ts" />
import makeModule, { type PgQueryModule } from 'libpg-query/wasm/libpg-query.js'
import { PostgresError } from '../../db/postgres-error.ts'
import { DomainError } from '../../errors.ts'
import {
  type KeptFields,
  KIND_FIELDS,
  readSyntaxTree,
  type SyntaxNode,
  type TreeStatement,
} from './syntax-tree.ts'
import { refuseCostlyText } from './text-guard.ts'

/** One statement of a text: its tree, and where it stands. */
export interface ParsedStatement {
  node: SyntaxNode
  /** Index of the first character in the text, and after the last; comments before and after may be inside. */
  start: number
  end: number
}

export interface SqlParser {
  /**
   * The statements of a text, in order; none for a text of blanks and comments. Throws `PostgresError` 42601 with the
   * position for what Postgres' grammar refuses. Throws `sql_syntax` for what is too long or nested too deeply to be
   * read, or would take quadratic time. Trees have the fields that are kept: by default those that tell kinds apart.
   */
  parse(sql: string, kept?: KeptFields): Promise<ParsedStatement[]>
}

/** Makes an instance of the compiled module; in workerd the module is imported, in Node it is read from the package. */
export type Instantiate = (imports: WebAssembly.Imports) => WebAssembly.Instance

/** An instance that grew by more than this is thrown away after its call: WebAssembly memory never shrinks. */
const KEPT_GROWTH_BYTES_MAX = 16 * 1024 * 1024

/** Offsets of the fields in libpg_query's `PgQueryParseResult` and `PgQueryError`. */
const RESULT_TREE = 0
const RESULT_ERROR = 8
const ERROR_MESSAGE = 0
const ERROR_CURSOR_POSITION = 16
/** What libpg_query says where it noticed; where it did not, the text that it could not copy is a null pointer. */
const OUT_OF_MEMORY = 'out of memory'

/** Makes the parser; its first instance is ready when the promise resolves (about 10 ms). */
export async function makeSqlParser(instantiate: Instantiate): Promise<SqlParser> {
  let instance: PgQueryModule | undefined = await makeInstance(instantiate)
  const keptBytesMax = instance.HEAPU8.byteLength + KEPT_GROWTH_BYTES_MAX
  return {
    async parse(sql, kept = KIND_FIELDS) {
      refuseCostlyText(sql)
      const module = instance ?? (await makeInstance(instantiate))
      // Unset while it runs: an instance whose call ended in an exception has a stack that nobody unwound.
      instance = undefined
      const statements = parseWith(module, sql, kept)
      if (module.HEAPU8.byteLength <= keptBytesMax) instance = module
      if (statements instanceof Error) throw statements
      return statements
    },
  }
}

function makeInstance(instantiate: Instantiate): Promise<PgQueryModule> {
  const options = {
    instantiateWasm: (
      imports: WebAssembly.Imports,
      receive: (instance: WebAssembly.Instance) => void,
    ): void => receive(instantiate(imports)),
    print: () => undefined,
    printErr: () => undefined,
  }
  return asBrowserWorker(() => makeModule(options))
}

/**
 * The factory asks its globals where it runs, and takes workerd for Node (`process`) or for a browser's worker
 * (`self.location.href`), neither of which it is. It asks before its first await, so the globals differ only while this
 * function runs and no other code sees them.
 */
function asBrowserWorker<T>(run: () => T): T {
  const shown = { process: undefined, location: { href: 'file:///' } }
  const names = Object.keys(shown) as (keyof typeof shown)[]
  const before = names.map(name => Object.getOwnPropertyDescriptor(globalThis, name))
  for (const name of names) {
    Object.defineProperty(globalThis, name, { value: shown[name], configurable: true, writable: true })
  }
  try {
    return run()
  } finally {
    names.forEach((name, i) => {
      const descriptor = before[i]
      if (descriptor) Object.defineProperty(globalThis, name, descriptor)
      else Reflect.deleteProperty(globalThis, name)
    })
  }
}

/** The statements, or the refusal as a value; what is thrown means that the instance is no longer sound. */
function parseWith(module: PgQueryModule, sql: string, kept: KeptFields): ParsedStatement[] | Error {
  const text = copyIn(module, sql)
  const result = callParser(module, text)
  const error = module.getValue(result + RESULT_ERROR, 'i32')
  const answer = error === 0 ? readStatements(module, result, sql, kept) : readError(module, error)
  module._wasm_free_parse_result(result)
  module._free(text)
  return answer
}

/**
 * The trees of long chains (`1+1+1...`) are walked by recursion, and large texts need 200 times their size: both end
 * in traps.
 */
function callParser(module: PgQueryModule, text: number): number {
  try {
    return module._wasm_parse_query_raw(text)
  } catch (cause) {
    throw tooLarge(cause)
  }
}

function copyIn(module: PgQueryModule, sql: string): number {
  const bytes = module.lengthBytesUTF8(sql) + 1
  const pointer = module._malloc(bytes)
  if (pointer === 0) throw tooLarge(undefined)
  module.stringToUTF8(sql, pointer, bytes)
  return pointer
}

function readError(module: PgQueryModule, error: number): PostgresError {
  const position = module.getValue(error + ERROR_CURSOR_POSITION, 'i32')
  const text = module.getValue(error + ERROR_MESSAGE, 'i32')
  const message = text === 0 ? OUT_OF_MEMORY : module.UTF8ToString(text)
  if (message === OUT_OF_MEMORY) throw tooLarge(message)
  return new PostgresError({ message, code: '42601', position: position > 0 ? String(position) : null })
}

function readStatements(
  module: PgQueryModule,
  result: number,
  sql: string,
  kept: KeptFields,
): ParsedStatement[] | Error {
  const text = module.getValue(result + RESULT_TREE, 'i32')
  if (text === 0) throw tooLarge(OUT_OF_MEMORY)
  const tree = readTree(module.HEAPU8, text, kept)
  if (tree instanceof Error) return tree
  const indexOf = characterIndexes(module, sql)
  return tree.map(({ node, byteStart, byteLength }) => ({
    node,
    start: indexOf(byteStart),
    // The last statement of a text without a semicolon has no length: it reaches to the end.
    end: byteLength === 0 ? sql.length : indexOf(byteStart + byteLength),
  }))
}

/** Trees that lean to the left (`select 1 union select 1 ...`) are read by recursion. The instance stays sound. */
function readTree(memory: Uint8Array, text: number, kept: KeptFields): TreeStatement[] | Error {
  try {
    return readSyntaxTree(memory, text, kept)
  } catch (cause) {
    if (cause instanceof RangeError) return tooLarge(cause)
    throw cause
  }
}

/** From libpg_query's offsets in bytes of UTF-8 to indexes in the string; to be asked in ascending order. */
function characterIndexes(module: PgQueryModule, sql: string): (byteOffset: number) => number {
  if (module.lengthBytesUTF8(sql) === sql.length) return byteOffset => byteOffset
  const bytes = new TextEncoder().encode(sql)
  const decoder = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true })
  let [byteAt, index] = [0, 0]
  return byteOffset => {
    index += decoder.decode(bytes.subarray(byteAt, byteOffset)).length
    byteAt = byteOffset
    return index
  }
}

function tooLarge(cause: unknown): DomainError {
  return new DomainError('sql_syntax', 'The SQL is too long or nested too deeply to be read.', {
    hint:
      'Send values as parameters: = ANY($1) for many ORs, INSERT ... SELECT * FROM unnest($1::int[]) ' +
      'for many rows.',
    cause,
  })
}
