// The permission language, as Keto v26.2.0 reads it. Where errors stand was recorded from that version, or is what its
// parser answers to the same text.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Rewrite } from '../../../src/features/permissions/language/ast.ts'
import { parsePermissionFile } from '../../../src/features/permissions/language/parse.ts'

const ERRORS_MAX = 100

/** A file with one permit, whose expression begins at line 8, column 37. */
const withPermit = (expression: string) => `class User implements Namespace {}
class Project implements Namespace {
  related: {
    owner: User[]
    parents: Project[]
  }
  permits = {
    view: (ctx: Context): boolean => ${expression},
  }
}
`
const OWNER = 'this.related.owner.includes(ctx.subject)'

/** `line:column-line:column` of each error. */
function placesOfErrors(text: string): string[] {
  return parsePermissionFile(text).errors.map(
    ({ start, end }) => `${start.line}:${start.column}-${end.line}:${end.column}`,
  )
}

/** The first permit's rewrite, short: `or(owner, not(x), parents>view)`. */
function rewriteOf(expression: string): string | undefined {
  const { file, errors } = parsePermissionFile(withPermit(expression))
  expect(errors).toEqual([])
  const [permit] = file.namespaces.find(({ name }) => name === 'Project')?.permits ?? []
  return permit && written(permit.rewrite)
}

function written(rewrite: Rewrite): string {
  switch (rewrite.kind) {
    case 'relation':
      return rewrite.relation
    case 'traverse':
      return `${rewrite.relation}>${rewrite.computed}`
    case 'not':
      return `not(${written(rewrite.child)})`
    default:
      return `${rewrite.kind}(${rewrite.children.map(written).join(', ')})`
  }
}

describe('a permission file', () => {
  it.each([
    ['nothing', ''],
    ['only spaces', ' \n\t\n'],
    ['an import', 'import { Namespace, SubjectSet } from "@ory/permission-namespace-types"\n\n'],
    ['comments', '// one\n/* two\nthree */\n/**/ /** äny ünicöde characterß??? */'],
    ['a word', 'hello'],
    ['JSON', '{"content":"class User implements Namespace {}"}'],
    ['a class', 'class User implements Namespace {}'],
    ['an exported class', 'export class User implements Namespace {}'],
    ['a name in quotation marks', `class "a b" 'implements' Namespace {}`],
    ['semicolons and commas', 'class A implements Namespace { related: { a: A[], b: A[]; }; };'],
    ['a relation in quotation marks', `class A implements Namespace { related: { "a-b": A[] } }`],
    [
      'a type that is declared later',
      'class A implements Namespace { related: { a: B[] } } class B implements Namespace {}',
    ],
    [
      'every form of types',
      `class A implements Namespace {
        related: { a: A[] b: (A | SubjectSet<A, "a">)[] c: Array<A | A> d: SubjectSet<A, a>[], }
      }`,
    ],
    [
      'no result type',
      `class A implements Namespace {
        related: { a: A[] } permits = { v: (ctx) => this.related.a.includes(ctx.subject) }
      }`,
    ],
    ['no permits', 'class A implements Namespace { permits = {} related: {} permits = {} }'],
    ['a permit without an expression', withPermit('')],
    ['a denied nothing', withPermit('!()')],
    ['expressions without an operator', withPermit(`${OWNER} ${OWNER} (${OWNER}) !${OWNER}`)],
    ['nine levels of parentheses', withPermit(`${'('.repeat(9)}${OWNER}${')'.repeat(9)}`)],
  ])('may hold %s', (_, text) => {
    expect(parsePermissionFile(text).errors).toEqual([])
  })

  it.each([
    ['class alone', 'class', ['1:5-1:5']],
    ['no implements', 'class User {}', ['1:11-1:12']],
    ['a class that is not closed', 'class User implements Namespace {', ['1:33-1:33']],
    [
      'a string that is not closed',
      'import { Namespace } from "x\nclass User implements Namespace {}',
      ['1:27-2:34'],
    ],
    ['quotation marks of two kinds', `"invalid_literal'`, ['1:1-1:17']],
    ['a comment that is not closed', '/* hello', ['1:1-1:8']],
    ['a comment that is opened by its end', '/*/', ['1:1-1:3']],
    ['a character that is no part of it', 'class User implements Namespace { ? }', ['1:34-1:34']],
    ['a letter that is no part of it', 'ü', ['1:1-1:1']],
    ['a byte order mark', '\uFEFFclass User implements Namespace {}', ['1:1-1:1']],
    ['one half of an operator', withPermit(`${OWNER} & ${OWNER}`), ['8:78-8:78']],
    ['something else in a class', 'class A implements Namespace { metadata: {} }', ['1:31-1:39']],
    [
      'types without brackets',
      'class User implements Namespace {}\nclass A implements Namespace { related: { a: User } }',
      ['2:50-2:51'],
    ],
    ['a comma after an array', 'class A implements Namespace { related: { a: Array<A>, } }', ['1:53-1:54']],
    [
      'another sign between types',
      'class A implements Namespace { related: { a: (A, A)[] } }',
      ['1:47-1:48'],
    ],
    [
      'a broken SubjectSet, and what follows it',
      'class A implements Namespace { related: { a: (SubjectSet<A "a">)[] } }',
      ['1:60-1:61', '1:62-1:63'],
    ],
    [
      'a broken SubjectSet at the end',
      'class A implements Namespace { related: { a: (SubjectSet<A',
      ['1:58-1:58', '1:1-1:1'],
    ],
    [
      'a permit after one without an expression',
      'class A implements Namespace { permits = { a: (ctx) => , b: (ctx) => , } }',
      ['1:57-1:58'],
    ],
    ['parentheses too deep', withPermit(`${'('.repeat(12)}${OWNER}${')'.repeat(12)}`), ['8:47-8:48']],
    ['denials too deep', withPermit('!('.repeat(9)), ['8:47-8:48']],
    ['an expression behind parentheses', withPermit(`(${OWNER}) ${OWNER}`), ['8:80-8:84']],
    ['an operator in front', withPermit(`|| ${OWNER}`), ['8:40-8:44']],
    [
      'a traversal within a traversal',
      withPermit(
        'this.related.parents.traverse((p) => p.related.parents.traverse((q) => q.permits.view(ctx)))',
      ),
      ['8:92-8:100'],
    ],
    [
      'another variable in a traversal',
      withPermit('this.related.parents.traverse(p => q.permits.view(ctx))'),
      ['8:72-8:73', '1:1-1:1'],
    ],
    ['something else of this', withPermit('this.metadata.owner.includes(ctx.subject)'), ['8:42-8:50']],
    ['something else of a relation', withPermit('this.related.owner.some(ctx.subject)'), ['8:56-8:60']],
  ])('is refused for %s', (_, text, places) => {
    expect(placesOfErrors(text)).toEqual(places)
  })

  it.each([
    [
      'an unknown type',
      'class Project implements Namespace {\n  related: {\n    owner: Nobody[]\n  }\n}\n',
      ['3:11-3:17'],
    ],
    [
      'a SubjectSet of an unknown relation',
      'class User implements Namespace {}\nclass A implements Namespace { related: { a: SubjectSet<User, "boss">[] } }',
      ['2:63-2:67'],
    ],
    [
      'a SubjectSet of an unknown type',
      'class A implements Namespace { related: { a: SubjectSet<B, "c">[] } }',
      ['1:56-1:57'],
    ],
    ['an unknown relation', withPermit('this.related.boss.includes(ctx.subject)'), ['8:50-8:54']],
    ['an unknown permit', withPermit('this.permits.edit(ctx)'), ['8:50-8:54']],
    [
      'a traversal to an unknown permit',
      withPermit('this.related.parents.traverse((p) => p.permits.edit(ctx))'),
      ['8:50-8:57'],
    ],
    [
      'a traversal of an unknown relation',
      withPermit('this.related.boss.traverse((p) => p.permits.view(ctx))'),
      ['8:50-8:54', '8:50-8:54'],
    ],
    [
      'a traversal to users too',
      withPermit('this.related.owner.traverse((p) => p.permits.view(ctx))'),
      ['8:50-8:55'],
    ],
    [
      'each of its errors',
      'class A implements Namespace { related: { a: B[] b: C[] } }',
      ['1:45-1:46', '1:52-1:53'],
    ],
    [
      'a traversal of a SubjectSet of itself',
      `class A implements Namespace { related: { a: SubjectSet<A, "a">[] } permits = {
v: (ctx) => this.related.a.traverse(p => p.permits.v(ctx)) } }`,
      ['2:25-2:26'],
    ],
  ])('is refused for %s', (_, text, places) => {
    expect(placesOfErrors(text)).toEqual(places)
  })

  // Keto counts bytes and walks characters.
  it.each([
    ['/*ü*/?', ['1:6-1:6']],
    ['/*ü€*/\n?a', ['2:2-2:2']],
    ['/*😀*/\n\n\n?', ['4:1-4:1']],
    ['"ü" class ?', ['1:11-1:11']],
    ['class "ü', ['1:7-1:8']],
    ['class\n\n', ['2:1-2:1']],
    ['class /*ü*/\n', ['2:0-2:0']],
  ])('has its errors where Keto finds them behind other alphabets: %j', (text, places) => {
    expect(placesOfErrors(text)).toEqual(places)
  })

  it('has relations with their types, and permits', () => {
    const text = `
      class User implements Namespace { related: { manager: User[] } }
      class Group implements Namespace { related: { members: (User | SubjectSet<Group, 'members'>)[] } }
      class File implements Namespace {
        related: { "scope.a": File[]; owners: Array<User | SubjectSet<Group, "members">> }
        permits = {
          "scope.b": (ctx: Context) => this.related["scope.a"].traverse((r) => r.permits["scope.b"](ctx)),
          c: (ctx) => this.permits["scope.b"](ctx)
        }
      }`
    const members = { namespace: 'Group', relation: 'members' }
    expect(parsePermissionFile(text)).toEqual({
      errors: [],
      file: {
        namespaces: [
          { name: 'User', relations: [{ name: 'manager', types: [{ namespace: 'User' }] }], permits: [] },
          {
            name: 'Group',
            relations: [{ name: 'members', types: [{ namespace: 'User' }, members] }],
            permits: [],
          },
          {
            name: 'File',
            relations: [
              { name: 'scope.a', types: [{ namespace: 'File' }] },
              { name: 'owners', types: [{ namespace: 'User' }, members] },
            ],
            permits: [
              {
                name: 'scope.b',
                rewrite: {
                  kind: 'or',
                  children: [{ kind: 'traverse', relation: 'scope.a', computed: 'scope.b' }],
                },
              },
              { name: 'c', rewrite: { kind: 'or', children: [{ kind: 'relation', relation: 'scope.b' }] } },
            ],
          },
        ],
      },
    })
  })

  it('has the last class of a name, and the first relation or permit of one', () => {
    const text = `
      class A implements Namespace { related: { gone: A[] } }
      class A implements Namespace {
        permits = { a: (ctx) => this.permits.a(ctx), a: (ctx) => this.permits.b(ctx) }
        related: { a: A[] b: A[] b: (A | A)[] gone: A[] }
      }`
    const [only, ...others] = parsePermissionFile(text).file.namespaces
    expect(others).toEqual([])
    expect(only?.relations.map(({ name, types }) => [name, types.length])).toEqual([
      ['b', 1],
      ['gone', 1],
    ])
    expect(only?.permits.map(({ name, rewrite }) => [name, written(rewrite)])).toEqual([['a', 'or(a)']])
  })
})

// Each level costs a check one of its depth.
describe('an expression', () => {
  const [a, b, c, d] = [
    OWNER,
    'this.related.parents.includes(ctx.subject)',
    'this.permits.view(ctx)',
    '!this.permits.view(ctx)',
  ]
  it.each([
    [a, 'or(owner)'],
    [d, 'or(not(view))'],
    [`${a} || ${b} || ${c}`, 'or(owner, parents, view)'],
    [`${a} && ${b} && ${c}`, 'and(or(owner), parents, view)'],
    [`${a} || ${b} && ${c}`, 'and(or(or(owner), parents), view)'],
    [`${a} && ${b} || ${c} || ${d}`, 'or(and(or(owner), parents), view, not(view))'],
    [`(${a} || ${b}) || (${c} || ${d})`, 'or(owner, parents, view, not(view))'],
    [`${a} || (${b} && ${c})`, 'or(owner, and(or(parents), view))'],
    [`!(${a} || ${b})`, 'or(not(or(or(owner), parents)))'],
    [`!() || ${a}`, 'or(not(or()), owner)'],
    [`(${a} && ${b}) (${c})`, 'and(or(owner), parents, or(view))'],
    [`${a} ${b}`, 'or(owner, parents)'],
    ['this.related.parents.traverse(p => p.permits.view(ctx))', 'or(parents>view)'],
    ['this.related.parents.traverse((p) => p.related.owner.includes(ctx.subject,),)', 'or(parents>owner)'],
  ])('nests as in Keto: %s', (expression, expected) => {
    expect(rewriteOf(expression)).toBe(expected)
  })
})

describe('a hostile text', () => {
  it('never makes the parser throw, and has its errors within it', () => {
    const words = [
      'class',
      'A',
      'implements',
      'Namespace',
      '{',
      '}',
      'related',
      'permits',
      ':',
      '=',
      '(',
      ')',
      'ctx',
      '=>',
    ]
    const more = [
      'this',
      '.',
      'includes',
      'traverse',
      'subject',
      '||',
      '&&',
      '!',
      '|',
      '[',
      ']',
      '<',
      '>',
      ',',
      ';',
      'SubjectSet',
    ]
    const pieces = fc.oneof(
      fc.constantFrom(
        ...words,
        ...more,
        'Array',
        '"a"',
        "'",
        '"',
        '/*',
        '*/',
        '//',
        '\n',
        OWNER,
        'class A implements Namespace {',
      ),
      fc.string({ unit: 'binary', maxLength: 4 }),
    )
    const texts = fc
      .array(pieces, { maxLength: 60 })
      .chain(some => fc.constantFrom(some.join(' '), some.join('')))
    fc.assert(
      fc.property(texts, text => {
        const lines = text.split('\n')
        for (const { start, end } of parsePermissionFile(text).errors)
          for (const { line, column } of [start, end]) {
            expect(line).toBeLessThanOrEqual(lines.length)
            expect(column).toBeLessThanOrEqual([...(lines[line - 1] ?? '')].length + 1)
          }
      }),
      { numRuns: 150 },
    )
  })

  // As recursion or as arguments of a call, each of these would go beyond the stack.
  it.each([
    ['parentheses', withPermit('('.repeat(300_000))],
    ['expressions', withPermit(`${OWNER} `.repeat(150_000))],
    ['unions', withPermit(Array(150_000).fill(OWNER).join(' || '))],
    ['operators in turn', withPermit(`${`${OWNER} || ${OWNER} && `.repeat(75_000)} ${OWNER}`)],
    ['types', `class A implements Namespace { related: { a: (${Array(300_000).fill('A').join('|')})[] } }`],
    ['comments', '/**/'.repeat(500_000)],
    ['characters of one comment', `/*${' '.repeat(4_000_000)}`],
    ['spaces', ' '.repeat(4_000_000)],
    ['letters of a word', 'a'.repeat(4_000_000)],
  ])('may hold very many %s', (_, text) => {
    expect(parsePermissionFile(text).errors.length).toBeLessThanOrEqual(2)
  })

  // The first would take Keto 50 to the power of eleven steps and errors, the second the square of its length.
  it.each([
    ['SubjectSets of themselves', Array(50).fill('SubjectSet<A, "a">'), 20, ERRORS_MAX],
    ['types that are traversed again and again', Array(20_000).fill('A'), 2_000, 1],
  ])('is refused after a bounded number of steps and errors for %s', (_, types, traversals, errors) => {
    const traverse = 'this.related.a.traverse(p => p.permits.v(ctx))'
    const text = `class A implements Namespace { related: { a: (${types.join('|')})[] }
      permits = { v: (ctx) => ${Array(traversals).fill(traverse).join('||')} } }`
    expect(parsePermissionFile(text).errors).toHaveLength(errors)
  })

  it('has no more than a hundred errors, none of which repeats a name of any length', () => {
    const text = `class ${'A'.repeat(100_000)} implements Namespace { permits = {
      v: (ctx) => ${Array(1_000)
        .fill(`this.permits.${'b'.repeat(1_000)}(ctx)`)
        .join('||')} } }`
    const { errors } = parsePermissionFile(text)
    expect(errors).toHaveLength(ERRORS_MAX)
    for (const { message } of errors) expect(message.length).toBeLessThan(250)
  })
})
