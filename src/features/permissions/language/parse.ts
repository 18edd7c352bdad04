// The parser of the permission language. It accepts and refuses what Keto v26.2.0 does (schema/parser.go), oddities
// included: what Keto loads must not fail here, and what it cannot load must not pass. Its time grows with the
// text's length, and it recurses no deeper than the language's own limit.

import type {
  Group,
  LanguageError,
  NamespaceDeclaration,
  PermissionFile,
  PermitDeclaration,
  RelationDeclaration,
  Rewrite,
  SubjectType,
} from './ast.ts'
import { checkTypes, type Finding, shown, type TypeCheck } from './check-types.ts'
import { placesIn } from './places.ts'
import { readTokens, type Token } from './tokens.ts'

/** Of `(` and `!` in one permit. */
const NESTING_MAX = 10
/** What follows the end, and what cannot be read. */
const NOTHING_LEFT: Token = { kind: 'error', value: 'nothing is left', start: 0, end: 0 }

export interface ParsedFile {
  /** What could be read, and not for use where there are errors. */
  readonly file: PermissionFile
  /** At most 100. */
  readonly errors: readonly LanguageError[]
}

/** Reads a permission file, types checked. Never throws: what is wrong stands in `errors`, each with its place. */
export function parsePermissionFile(text: string): ParsedFile {
  const parser = new Parser(text)
  const findings = parser.parse()
  const errors: LanguageError[] = []
  if (findings.length > 0) {
    const placeOf = placesIn(text)
    for (const { token, message } of findings)
      errors.push({ message, start: placeOf(token.start), end: placeOf(token.end) })
  }
  const byName = new Map(parser.namespaces.map(namespace => [namespace.name, namespace]))
  return { file: { namespaces: [...byName.values()] }, errors }
}

/** Thrown once the parser cannot go on; its finding is noted by then. */
const REFUSED = Symbol('refused')

interface NamespaceBeingRead {
  readonly name: string
  readonly relations: RelationDeclaration[]
  readonly permits: PermitDeclaration[]
  /** The types of both, which share their names. */
  readonly types: Map<string, readonly SubjectType[]>
}

interface GroupBeingRead extends Group {
  readonly children: Rewrite[]
}

class Parser {
  readonly namespaces: NamespaceDeclaration[] = []
  readonly #text: string
  readonly #tokens: Iterator<Token, undefined>
  #ahead: Token | undefined
  readonly #declared = new Map<string, ReadonlyMap<string, readonly SubjectType[]>>()
  readonly #checks: TypeCheck[] = []
  readonly #findings: Finding[] = []

  constructor(text: string) {
    this.#text = text
    this.#tokens = readTokens(text)
  }

  /** Whatever stands outside of classes is passed over, imports for one. */
  parse(): readonly Finding[] {
    try {
      for (let token = this.#next(); token.kind !== 'end'; token = this.#next()) {
        if (token.kind === 'error') this.#refuse(token, token.value)
        if (token.kind === 'class') this.#class()
      }
    } catch (err) {
      if (err !== REFUSED) throw err
      return this.#findings
    }
    return checkTypes(this.#checks, this.#declared, this.#text.length)
  }

  #class(): void {
    const name = this.#next()
    if (!isName(name)) this.#refuseInsteadOf('a name', name)
    const namespace = { name: name.value, relations: [], permits: [], types: new Map() }
    this.#expect('implements', 'Namespace', '{')
    for (;;) {
      const token = this.#next()
      if (token.kind === '}') break
      if (token.value === 'related') this.#related(namespace)
      else if (token.value === 'permits') this.#permits(namespace)
      else if (token.kind !== ';') this.#refuseInsteadOf("'permits' or 'related'", token)
    }
    const { types, ...declaration } = namespace
    this.namespaces.push(declaration)
    if (!this.#declared.has(declaration.name)) this.#declared.set(declaration.name, types)
  }

  #related(namespace: NamespaceBeingRead): void {
    this.#expect(':', '{')
    for (;;) {
      const token = this.#next()
      if (token.kind === '}') return
      if (token.kind === ';') continue
      if (!isName(token)) this.#refuseInsteadOf("a relation or '}'", token)
      this.#expect(':')
      const types = this.#types()
      if (namespace.types.has(token.value)) continue
      namespace.types.set(token.value, types)
      namespace.relations.push({ name: token.value, types })
    }
  }

  #types(): readonly SubjectType[] {
    const token = this.#next()
    if (token.value === 'Array') {
      this.#expect('<')
      return this.#typeUnion('>')
    }
    const types = token.kind === '(' ? this.#typeUnion(')') : [this.#type(token)]
    this.#expect('[', ']')
    this.#pass(',')
    return types
  }

  #typeUnion(close: string): readonly SubjectType[] {
    const types: SubjectType[] = []
    for (;;) {
      types.push(this.#typeOfUnion(close))
      const token = this.#next()
      if (token.kind === close) return types
      if (token.kind !== '|') this.#refuseInsteadOf("'|'", token)
    }
  }

  /** Keto reads one token more behind a type that it refused, and mostly refuses that too. */
  #typeOfUnion(close: string): SubjectType {
    try {
      return this.#type(this.#next())
    } catch (err) {
      const token = this.#next()
      if (token.kind !== close && token.kind !== '|') this.#refuseInsteadOf("'|'", token)
      throw err
    }
  }

  #type(token: Token): SubjectType {
    if (token.value !== 'SubjectSet') {
      this.#checks.push({ kind: 'namespace', namespace: token })
      return { namespace: token.value }
    }
    this.#expect('<')
    const namespace = this.#next()
    this.#expect(',')
    const relation = this.#next()
    this.#expect('>')
    this.#checks.push({ kind: 'subject set', namespace, relation })
    return { namespace: namespace.value, relation: relation.value }
  }

  /** A permit without an expression ends the list, as if a `}` stood there. */
  #permits(namespace: NamespaceBeingRead): void {
    this.#expect('=', '{')
    for (;;) {
      const token = this.#next()
      if (token.kind === '}') return
      if (!isName(token)) this.#refuseInsteadOf("a permit or '}'", token)
      this.#expect(':', '(', 'ctx')
      this.#pass(':', 'Context')
      this.#expect(')')
      this.#pass(':', 'boolean')
      this.#expect('=>')
      const rewrite = this.#expressions(namespace.name, ',', NESTING_MAX)
      if (rewrite === undefined) return
      if (namespace.types.has(token.value)) continue
      namespace.types.set(token.value, [])
      namespace.permits.push({ name: token.value, rewrite: simplified(rewrite) })
    }
  }

  /** Up to `close`, which is consumed, or to a `}`, which is not. Undefined where an expression is missing. */
  #expressions(namespace: string, close: ',' | ')', levels: number): GroupBeingRead | undefined {
    if (levels <= 0) this.#refuseNesting()
    let root: GroupBeingRead | undefined
    // Also after one: two follow each other, unless the first was in parentheses or denied.
    let mayBegin = true
    for (;;) {
      const token = this.#peek()
      if (token.kind === '}') return root
      if (!['(', '!', '&&', '||', close].includes(token.kind)) {
        if (!mayBegin) this.#refuse(token, 'an operator is missing before this expression')
        root = withChild(root, this.#expression(namespace))
        continue
      }
      this.#next()
      if (token.kind === close) return root
      if (token.kind === '(') {
        const child = this.#expressions(namespace, ')', levels - 1)
        if (child === undefined) return undefined
        root = withChild(root, child)
        mayBegin = false
      } else if (token.kind === '!') {
        root = withChild(root, { kind: 'not', child: this.#denied(namespace, levels - 1) })
        mayBegin = false
      } else {
        if (root === undefined) return undefined
        root = { kind: token.kind === '&&' ? 'and' : 'or', children: [root] }
        mayBegin = true
      }
    }
  }

  #denied(namespace: string, levels: number): Rewrite {
    if (levels <= 0) this.#refuseNesting()
    if (this.#peek().kind !== '(') return this.#expression(namespace)
    this.#next()
    return this.#expressions(namespace, ')', levels - 1) ?? { kind: 'or', children: [] }
  }

  #expression(namespace: string): Rewrite {
    this.#expect('this', '.')
    const verb = this.#next()
    const relation = this.#property(() => true)
    if (verb.value === 'permits') {
      this.#expect('(', 'ctx', ')')
      return this.#ownRelation(namespace, relation)
    }
    if (verb.value !== 'related') this.#refuseInsteadOf("'related' or 'permits'", verb)
    this.#expect('.')
    const token = this.#next()
    if (token.value === 'traverse') return this.#traversal(namespace, relation)
    if (token.value !== 'includes') this.#refuseInsteadOf("'traverse' or 'includes'", token)
    this.#expect('(', 'ctx', '.', 'subject', ')')
    return this.#ownRelation(namespace, relation)
  }

  #ownRelation(namespace: string, relation: Token): Rewrite {
    this.#checks.push({ kind: 'own relation', namespace, relation })
    return { kind: 'relation', relation: relation.value }
  }

  #traversal(namespace: string, relation: Token): Rewrite {
    this.#expect('(')
    const isInParentheses = this.#peek().kind === '('
    if (isInParentheses) this.#next()
    const variable = this.#next().value
    if (isInParentheses) this.#expect(')')
    try {
      this.#expect('=>', variable, '.')
    } catch (err) {
      // Keto goes on without the next word, and refuses that it is missing.
      this.#note(NOTHING_LEFT, "expected 'related' or 'permits'")
      throw err
    }
    const verb = this.#next()
    if (verb.value !== 'related' && verb.value !== 'permits')
      this.#refuseInsteadOf("'related' or 'permits'", verb)
    const { value: computed } = this.#property(isName)
    if (verb.value === 'related') {
      this.#expect('.', 'includes', '(', 'ctx', '.', 'subject')
      this.#pass(',')
      this.#expect(')')
      this.#pass(',')
      this.#expect(')')
    } else this.#expect('(', 'ctx', ')', ')')
    this.#checks.push({ kind: 'traversal', namespace, relation, computed })
    this.#checks.push({ kind: 'own relation', namespace, relation })
    return { kind: 'traverse', relation: relation.value, computed }
  }

  /** `.x` or `["x"]`. */
  #property(isAllowed: (token: Token) => boolean): Token {
    const isInBrackets = this.#peek().kind === '['
    this.#expect(isInBrackets ? '[' : '.')
    const token = this.#next()
    if (!isAllowed(token)) this.#refuseInsteadOf('a name', token)
    if (isInBrackets) this.#expect(']')
    return token
  }

  #peek(): Token {
    this.#ahead ??= this.#tokens.next().value ?? NOTHING_LEFT
    return this.#ahead
  }

  #next(): Token {
    const token = this.#peek()
    this.#ahead = undefined
    return token
  }

  /** By their text: a string in quotation marks stands for a sign or a word as well. */
  #expect(...values: readonly string[]): void {
    for (const value of values) {
      const token = this.#next()
      if (token.value !== value) this.#refuseInsteadOf(`'${shown(value)}'`, token)
    }
  }

  /** All of these, if the first of them is there. */
  #pass(...values: readonly string[]): void {
    if (this.#peek().value === values[0]) this.#expect(...values)
  }

  #refuseInsteadOf(expected: string, token: Token): never {
    const found =
      token.kind === 'end' ? 'the end' : token.kind === 'error' ? token.value : `'${shown(token.value)}'`
    this.#refuse(token, `expected ${expected}, got ${found}`)
  }

  #refuseNesting(): never {
    this.#refuse(this.#peek(), `an expression is nested at most ${NESTING_MAX} levels deep`)
  }

  #refuse(token: Token, message: string): never {
    this.#note(token, message)
    throw REFUSED
  }

  #note(token: Token, message: string): void {
    this.#findings.push({ token, message })
  }
}

const isName = (token: Token) => token.kind === 'identifier' || token.kind === 'string'

function withChild(root: GroupBeingRead | undefined, child: Rewrite | GroupBeingRead): GroupBeingRead {
  if (root !== undefined) root.children.push(child)
  else if ('children' in child) return child as GroupBeingRead
  return root ?? { kind: 'or', children: [child] }
}

/**
 * `a || b || c` is read as two groups in each other and becomes one: each level costs a check some of its depth. Keto
 * does so for the outermost groups alone.
 */
function simplified(root: GroupBeingRead): Group {
  const children: Rewrite[] = []
  const waiting: Rewrite[] = [root]
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node.kind !== root.kind || !('children' in node)) children.push(node)
    else for (const child of node.children.toReversed()) waiting.push(child)
  }
  return { kind: root.kind, children }
}
