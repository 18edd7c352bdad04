// Reads the JSON that libpg_query leaves in its memory, and keeps only the fields that are asked for.
// The whole tree of a text of 1 MiB is 20 MB of JSON, several times that as objects: more than an isolate has.

/** A part of a tree: nodes by field name. What is not kept is not there. */
export interface SyntaxNode {
  readonly [name: string]: SyntaxValue | undefined
}
export type SyntaxValue = string | number | boolean | null | SyntaxNode | readonly SyntaxValue[]

/** A statement and its place in the text, in bytes; `byteLength` is 0 for "to the end". */
export interface TreeStatement {
  node: SyntaxNode
  byteStart: number
  byteLength: number
}

/** Fields of nodes that are read; all below any other lower-case field is skipped. Node names are all kept. */
export interface KeptFields {
  readonly read: ReadonlySet<string>
  /** Fields that are `true` where they are there, whatever is below them. */
  readonly noticed: ReadonlySet<string>
  /** Fields that are `true` or `false` where they are there: whether something that is sought is below them. */
  readonly conditions: ReadonlySet<string>
  /** JSON of the tree, as bytes; all begin with the same two. */
  readonly sought: readonly Uint8Array[]
}

/** A column by its name, `*` included, and the row that a cursor stands at. */
const ROWS_SOUGHT = soughtTexts(['"ColumnRef":', '"CurrentOfExpr":'])

/** Names of functions, columns and types, in lower-case ASCII: a string of SQL stands otherwise. */
export function namesSought(names: readonly string[]): Uint8Array[] {
  return soughtTexts(names.map(name => `"String":{"sval":"${name}"}`))
}

function soughtTexts(texts: readonly string[]): Uint8Array[] {
  return texts.map(text => new TextEncoder().encode(text))
}

/** Fields to keep, by their names with blanks between them; conditions seek columns and cursors unless said. */
export function keptFields(read: string, noticed = '', conditions = '', sought = ROWS_SOUGHT): KeptFields {
  const frame = 'stmts stmt stmt_location stmt_len'
  return {
    read: new Set(`${frame} ${read}`.split(' ')),
    noticed: new Set(noticed.split(' ')),
    conditions: new Set(conditions.split(' ')),
    sought,
  }
}

/** What tells kinds of statements apart. */
export const KIND_FIELDS = keptFields(
  'intoClause larg withClause ctes ctequery kind name role roles granted_roles priv_name newrole roletype rolename ' +
    'subname objtype objectType removeType renameType relationType is_procedure is_grant ismove concurrent',
)

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const COLON = 0x3a
const COMMA = 0x2c

/** Longer strings are decoded. */
const PLAIN_LENGTH_MAX = 32

/**
 * Reads the tree that starts at `offset` of `memory` and ends with a zero byte. Throws `RangeError` when it is too
 * deep.
 */
export function readSyntaxTree(memory: Uint8Array, offset: number, kept: KeptFields): TreeStatement[] {
  const tree = new TreeReader(memory, offset, kept).readObject()
  const statements = Array.isArray(tree['stmts']) ? (tree['stmts'] as SyntaxNode[]) : []
  return statements.map(raw => ({
    node: raw['stmt'] as SyntaxNode,
    byteStart: Number(raw['stmt_location'] ?? 0),
    byteLength: Number(raw['stmt_len'] ?? 0),
  }))
}

class TreeReader {
  readonly #decoder = new TextDecoder()
  readonly #bytes: Uint8Array
  readonly #kept: KeptFields
  #at: number

  constructor(bytes: Uint8Array, at: number, kept: KeptFields) {
    this.#bytes = bytes
    this.#at = at
    this.#kept = kept
  }

  readObject(): SyntaxNode {
    const node: Record<string, SyntaxValue> = {}
    this.#at++
    while (this.#bytes[this.#at] !== CLOSE_OBJECT) {
      if (this.#bytes[this.#at] === COMMA) this.#at++
      const name = this.#readString()
      if (this.#bytes[this.#at++] !== COLON) throw new Error('the syntax tree is not JSON')
      if (isNodeName(name) || this.#kept.read.has(name)) node[name] = this.#readValue()
      else {
        const start = this.#at
        this.#skipValue()
        if (this.#kept.noticed.has(name)) node[name] = true
        if (this.#kept.conditions.has(name)) node[name] = this.#hasSought(start)
      }
    }
    this.#at++
    return node
  }

  #readValue(): SyntaxValue {
    const first = this.#bytes[this.#at]
    if (first === OPEN_OBJECT) return this.readObject()
    if (first === OPEN_ARRAY) return this.#readArray()
    if (first === QUOTE) return this.#readString()
    const start = this.#at
    this.#skipValue()
    return JSON.parse(this.#decoder.decode(this.#bytes.subarray(start, this.#at))) as SyntaxValue
  }

  #readArray(): SyntaxValue[] {
    const items: SyntaxValue[] = []
    this.#at++
    while (this.#bytes[this.#at] !== CLOSE_ARRAY) {
      if (this.#bytes[this.#at] === COMMA) this.#at++
      items.push(this.#readValue())
    }
    this.#at++
    return items
  }

  /** Most strings are short and plain: names of nodes and fields. For these a decoder costs more than all else. */
  #readString(): string {
    const start = this.#at
    let text = ''
    for (let at = start + 1; at <= start + PLAIN_LENGTH_MAX; at++) {
      const byte = this.#bytes[at]
      if (byte === QUOTE) {
        this.#at = at + 1
        return text
      }
      if (byte === undefined || byte === 0 || byte === BACKSLASH || byte >= 0x80) break
      text += String.fromCharCode(byte)
    }
    this.#skipString()
    return JSON.parse(this.#decoder.decode(this.#bytes.subarray(start, this.#at))) as string
  }

  #skipString(): void {
    this.#at++
    for (;;) {
      const byte = this.#bytes[this.#at++]
      if (byte === QUOTE) return
      if (byte === BACKSLASH) this.#at++
      if (byte === 0 || byte === undefined) throw new Error('the syntax tree ends inside a string')
    }
  }

  /** Whether something sought is between `start` and here. In a string of SQL the quotes have backslashes. */
  #hasSought(start: number): boolean {
    const { sought } = this.#kept
    const second = sought[0]?.[1]
    for (let at = start; at < this.#at; at++) {
      // All begin so. Comparing them at each quote takes longer than Postgres' parser.
      if (this.#bytes[at] !== QUOTE || this.#bytes[at + 1] !== second) continue
      if (sought.some(text => text.every((byte, i) => this.#bytes[at + i] === byte))) return true
    }
    return false
  }

  /** Skips without recursion: what is skipped may be nested as deeply as it likes. */
  #skipValue(): void {
    let depth = 0
    for (;;) {
      const byte = this.#bytes[this.#at]
      if (byte === QUOTE) this.#skipString()
      else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
        depth++
        this.#at++
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
        if (depth === 0) return
        depth--
        this.#at++
      } else if (byte === COMMA && depth === 0) return
      else if (byte === 0 || byte === undefined) throw new Error('the syntax tree ends inside a value')
      else this.#at++
    }
  }
}

/** `SelectStmt` and the like, in contrast to fields, which are lower-case. */
function isNodeName(name: string): boolean {
  const first = name.charCodeAt(0)
  return first >= 0x41 && first <= 0x5a
}
