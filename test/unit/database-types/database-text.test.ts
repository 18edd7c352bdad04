import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { databaseText } from '../../../src/features/database-types/database-text.ts'
import type { DatabaseFacts } from '../../../src/features/database-types/type-facts.ts'
import { column, factsOf, fn, foreignKey, type Parts, table, typeFact } from './facts.ts'

const write = (facts: Parts, schemas = ['public']) => databaseText(factsOf(facts), schemas, () => {})

/** The text without line ends and indentation, in which a part is looked for. */
const written = (facts: Parts, schemas?: string[]) => write(facts, schemas).replaceAll(/\s+/g, ' ')

const id = column('id', 'int8', { notNull: true, identity: 'd' })

// Names are whatever somebody with CREATE chose; the file is part of a program that another compiles.
const HOSTILE = [
  `a'b\n`,
  '"; } } }; export const stolen = 1 //',
  '*/ alert(1) /*',
  '`$' + '{process.exit()}`',
  '\\',
  '\\"',
  '\u2028export const stolen = 1',
  '\u202Ereversed\u2066',
  '\r\n}',
  '\u007F',
  '__proto__',
  'constructor',
  '[_ in never]',
  'a | b',
  '',
  '💣',
]

describe('databaseText', () => {
  it('keeps every name in its place, whatever is in it', () => {
    const name = (i: number) => HOSTILE[i % HOSTILE.length] ?? ''
    const relations = HOSTILE.map((each, i) => table(each, [id, column(name(i + 1), 'hostile')]))
    const text = write(
      {
        relations,
        types: [
          typeFact('hostile', { schema: 'public', name: '__proto__', kind: 'e', labels: HOSTILE }),
          ...HOSTILE.map((each, i) => {
            const attributes = [{ name: name(i + 3), type: 'text' }]
            return typeFact(each, { oid: `type ${i}`, schema: 'public', kind: 'c', attributes })
          }),
        ],
        functions: HOSTILE.map((each, i) => fn(each, [[name(i + 1) || 'x', 'int4']], 'int4')),
        foreignKeys: relations.map((from, i) =>
          foreignKey(from, name(i + 1), relations[(i + 2) % 4] ?? from),
        ),
      },
      ['public', ...HOSTILE.filter(each => each !== '')],
    )
    const file = ts.createSourceFile('types.ts', text, ts.ScriptTarget.Latest, true)
    // What a compiler reads as statements is what we wrote, and nothing that a name brought.
    expect(
      file.statements.map(each =>
        ts.isTypeAliasDeclaration(each) ? each.name.text : ts.SyntaxKind[each.kind],
      ),
    ).toEqual([
      ...['Json', 'Database', 'DefaultSchema', 'Schemas', 'OtherSchema', 'Rows', 'Part', 'Tables'],
      ...['TablesInsert', 'TablesUpdate', 'Enums', 'CompositeTypes', 'FirstStatement'],
    ])
    const { diagnostics } = ts.transpileModule(text, { reportDiagnostics: true })
    expect(diagnostics).toEqual([])
    expect(Object.keys(propertiesOf(file, 'Database')).sort()).toEqual(
      ['__InternalSupabase', 'public', ...HOSTILE.filter(each => each !== '')].sort(),
    )
    expect(Object.keys(propertiesOf(file, 'Database', 'public', 'Tables')).sort()).toEqual(
      [...HOSTILE].sort(),
    )
    expect(text).not.toMatch(/[\u007F-\u009F\u200B-\u200F\u2028-\u202E\u2066-\u2069]|\r/)
  })

  it('writes the labels of enums as values too, also where one is called __proto__', () => {
    const labels = ['on', `o'ff`]
    const text = write({ types: [typeFact('x', { schema: 'public', name: '__proto__', kind: 'e', labels })] })
    const { outputText } = ts.transpileModule(text, { compilerOptions: { module: ts.ModuleKind.CommonJS } })
    const exports: { Constants?: { public: { Enums: object } } } = {}
    new Function('exports', outputText)(exports)
    expect(Object.entries(exports.Constants?.public.Enums ?? {})).toEqual([['__proto__', labels]])
  })

  it('tells no name of a schema that is not served', () => {
    const hidden = { schema: 'vault' }
    const secrets = table('secret_rows', [column('secret_column')], { schema: 'other_secret' })
    const text = write({
      relations: [
        table('shown', [id, column('a', 'e'), column('b', 'c'), column('c', 'd'), column('d', 'r')]),
      ],
      types: [
        typeFact('secret_enum', { ...hidden, oid: 'e', kind: 'e', labels: ['x', 'y'] }),
        typeFact('secret_type', {
          ...hidden,
          oid: 'c',
          kind: 'c',
          attributes: [{ name: 'secret_a', type: 'text' }],
        }),
        typeFact('secret_domain', { ...hidden, oid: 'd', kind: 'd', base: 'text' }),
        typeFact('secret_rows', { ...hidden, oid: 'r', kind: 'c', relation: 'secret_rows' }),
      ],
      functions: [
        fn('rows', [], 'r', { returnsSet: true, rows: 100 }),
        fn('twice', [['a', 'c']], 'int4'),
        fn('twice', [['a', 'e']], 'int4'),
      ],
      foreignKeys: [foreignKey(table('shown', []), 'a', secrets)],
    })
    expect(text).not.toMatch(/secret|vault/)
    expect(text).toContain('a: "x" | "y" | null')
  })

  it('is the same text in whatever order the catalog answers', () => {
    const users = table('users', [id, column('name'), column('a_b'), column('A')])
    const posts = table('posts', [id, column('author', 'int8'), column('editor', 'int8')])
    const parts = {
      relations: [users, posts, table('Zoo', []), table('view', [column('x')], { isView: true })],
      functions: [
        fn('f', [['b', 'int4'], ['a', 'text']], 'int4'), // biome-ignore format: one line reads better
        fn('f', [['c', 'int4']], 'text'),
        fn('f', [], 'void'),
        fn('e', [], 'void'),
      ],
      foreignKeys: [foreignKey(posts, 'editor', users), foreignKey(posts, 'author', users)],
      types: ['m', 'l'].map(oid => typeFact(oid, { schema: 'public', kind: 'e', labels: ['z', 'a'] })),
    } satisfies Parts
    const reversed = Object.fromEntries(
      Object.entries(parts).map(([name, list]) => [name, [...list].reverse()]),
    )
    expect(write(reversed, ['b', 'public'])).toBe(write(parts, ['b', 'public']))
    expect(write(parts, ['public', 'public'])).toBe(write(parts))
    // Labels keep their own order.
    expect(written(parts)).toContain('Enums: { l: "z" | "a" m: "z" | "a" }')
  })
})

describe('rows', () => {
  it('may be written where Postgres does not give the value itself', () => {
    const must = { notNull: true }
    const columns = [
      column('needed', 'int4', must),
      column('may_be_null', 'text'),
      column('defaulted', 'bool', { ...must, hasDefault: true }),
      column('by_default', 'int8', { ...must, identity: 'd' }),
      column('always', 'int8', { ...must, identity: 'a' }),
      column('computed', 'text', { isGenerated: true, hasDefault: true }),
      column('strict', 'strict'),
    ]
    const types = [typeFact('strict', { schema: 'public', kind: 'd', base: 'text', notNull: true })]
    const text = written({ relations: [table('t', columns)], types })
    expect(text).toContain(
      'Insert: { always?: never by_default?: number computed?: never defaulted?: boolean ' +
        'may_be_null?: string | null needed: number strict: string }',
    )
    expect(text).toContain(
      'Update: { always?: never by_default?: number computed?: never defaulted?: boolean ' +
        'may_be_null?: string | null needed?: number strict?: string }',
    )
  })

  it('of a view are written as far as a write reaches', () => {
    const columns = [column('a', 'text', { isUpdatable: true }), column('b')]
    const view = (name: string, changes: number, ownChanges: number) =>
      table(name, columns, { isView: true, changes, ownChanges })
    const text = written({ relations: [view('auto', 28, 28), view('by_trigger', 8, 0), view('fixed', 0, 0)] })
    const row = 'Row: { a: string | null b: string | null }'
    const part = 'a?: string | null b?: never'
    expect(text).toContain(`auto: { ${row} Insert: { ${part} } Update: { ${part} } Relationships: [] }`)
    expect(text).toContain(
      `by_trigger: { ${row} Insert: { a?: string | null b?: string | null } Relationships`,
    )
    expect(text).toContain(`fixed: { ${row} Relationships: [] }`)
  })

  it.each([
    ['int8', 'number'],
    ['jsonb', 'Json'],
    ['tsvector', 'unknown'],
    ['numbers', 'number[]'],
    ['moods', 'Database["public"]["Enums"]["mood"][]'],
    ['hidden_moods', '("x" | "y")[]'],
    ['nested', 'number[]'],
    ['users rows', 'Database["public"]["Tables"]["users"]["Row"]'],
    ['place', 'Database["public"]["CompositeTypes"]["place"]'],
    ['gone', 'unknown'],
  ])('have for %s the type %s', (type, expected) => {
    const shown = { schema: 'public' }
    const types = [
      typeFact('_int4', { oid: 'numbers', element: 'int4' }),
      typeFact('mood', { ...shown, kind: 'e', labels: ['x'] }),
      typeFact('_mood', { ...shown, oid: 'moods', element: 'mood' }),
      typeFact('hidden_mood', { schema: 'vault', kind: 'e', labels: ['x', 'y'] }),
      typeFact('_hidden_mood', { schema: 'vault', oid: 'hidden_moods', element: 'hidden_mood' }),
      typeFact('inner', { ...shown, kind: 'd', base: 'numbers' }),
      typeFact('nested', { ...shown, kind: 'd', base: 'inner' }),
      typeFact('place', { ...shown, kind: 'c', attributes: [{ name: 'x', type: 'int4' }] }),
    ]
    const relations = [table('users', [id]), table('t', [column('c', type, { notNull: true })])]
    expect(written({ relations, types })).toContain(`t: { Row: { c: ${expected} }`)
  })

  it('have functions of a row as fields, unless a column hides them', () => {
    const users = table('users', [id, column('name')])
    const of = 'users rows'
    const functions = [
      fn('full_name', [['', of]], 'text'),
      fn('name', [['', of]], 'text'),
      fn('friends', [['', of]], of, { returnsSet: true, rows: 10 }),
      fn('of_named', [['row', of]], 'text'),
    ]
    expect(written({ relations: [users], functions })).toMatch(
      /users: { Row: { id: number name: string \| null full_name: string \| null } .* ComputedFields: "full_name" }/,
    )
  })
})

describe('relationships', () => {
  const users = table('users', [id])
  const posts = table('posts', [id, column('author', 'int8')])
  const view = (name: string, schema = 'public') =>
    table(name, [column('key'), column('other')], { isView: true, schema })
  /** The columns that a view shows, each with the table and the column there. */
  const showing = (name: string, columns: readonly [string, string, string][], schema = 'public') => ({
    ...{ oid: name, schema, name, version: '1 1', keyColumns: [] },
    columns: columns.map(([column, tableOid, tableColumn]) => ({ name: column, tableOid, tableColumn })),
  })
  const relationship = (name: string, to: string, column: string) =>
    `{ foreignKeyName: "posts_author_fkey" columns: ["${name}"] isOneToOne: true ` +
    `referencedRelation: "${to}" referencedColumns: ["${column}"] }`

  it('lead from and to views that show the columns, in every way, and to no other schema', () => {
    const text = written({
      relations: [users, posts, view('a_user'), view('some_posts'), view('elsewhere', 'shop')],
      foreignKeys: [foreignKey(posts, 'author', users, { oneToOne: true })],
      views: [
        showing('a_user', [
          ['key', 'users', 'id'],
          ['other', 'users', 'id'],
        ]),
        showing('some_posts', [['other', 'posts', 'author']]),
        showing('elsewhere', [['key', 'users', 'id']], 'shop'),
      ],
    })
    const all = (from: string) =>
      [
        relationship(from, 'a_user', 'key'),
        relationship(from, 'a_user', 'other'),
        relationship(from, 'users', 'id'),
      ]
        .map(each => `${each},`)
        .join(' ')
    expect(text).toContain(`Relationships: [ ${all('author')} ]`)
    expect(text).toContain(`Relationships: [ ${all('other')} ]`)
    expect(text.match(/foreignKeyName/g)).toHaveLength(6)
  })
})

describe('functions', () => {
  const users = table('users', [id])
  const of = 'users rows'
  const withFunctions = (...functions: DatabaseFacts['functions']) =>
    written({ relations: [users], functions }, ['public', 'shop'])

  it('name their arguments, those with a default as optional, and their results', () => {
    const modes = { argumentModes: ['i', 'i', 'o', 'b'], argumentNames: ['b', 'a', '', 'c'], defaults: 1 }
    const inputs = [['', 'int4'], ['', 'text'], ['', 'bool'], ['', 'int4']] as const // biome-ignore format: short
    expect(withFunctions(fn('f', inputs, 'record', modes))).toContain(
      'f: { Args: { a: string; b: number; c?: number } Returns: { c: number column1: boolean } }',
    )
    expect(withFunctions(fn('v', [], 'void'))).toContain('v: { Args: never Returns: undefined }')
  })

  it('lead on from the rows that they return', () => {
    const set = { returnsSet: true, rows: 100 }
    const options = (from: string, isOne: boolean, isSet: boolean) =>
      `SetofOptions: { from: "${from}" to: "users" isOneToOne: ${isOne} isSetofReturn: ${isSet} }`
    expect(withFunctions(fn('all', [], of, set))).toContain(
      `Returns: { id: number }[] ${options('*', false, true)}`,
    )
    expect(withFunctions(fn('one', [['u', of]], of, { returnsSet: true, rows: 1 }))).toContain(
      `Returns: { id: number } ${options('users', true, true)}`,
    )
    expect(withFunctions(fn('it', [['u', of]], of))).toContain(options('users', true, false))
    // The name would lead to a table of the function's own schema.
    expect(withFunctions(fn('away', [], of, { ...set, schema: 'shop' }))).not.toContain('SetofOptions')
    expect(withFunctions(fn('ids', [], 'int8', { returnsSet: true, rows: 1 }))).toContain(
      'Returns: number[] }',
    )
  })

  it('are a union of overloads, of which those say so that no call can choose', () => {
    const text = withFunctions(
      fn('f', [['a', 'int4']], 'int4'),
      fn('f', [['a', 'text']], 'text'),
      fn('f', [['b', 'text']], 'void'),
      fn('g', [], 'int4'),
      fn('g', [['x', 'int4']], 'text', { defaults: 1 }),
    )
    const between = (of: string) =>
      `Could not choose the best candidate function between: ${of}. Try renaming`
    const error = `Returns: { error: true } & "${between('public.f(a => int4), public.f(a => text)')}`
    expect(text).toContain(`f: | { Args: { a: number } ${error}`)
    expect(text).toContain(`| { Args: { a: string } ${error}`)
    expect(text).toContain('| { Args: { b: string } Returns: undefined }')
    expect(text).toContain(between('public.g(), public.g(x => int4)'))
    // Two that read alike are one member of it.
    const alike = withFunctions(fn('h', [['a', 'int4']], 'int4'), fn('h', [['a', 'int8']], 'int4'))
    expect(alike.match(/Args: { a: number }/g)).toHaveLength(1)
    expect(text).toContain('| { Args: { x?: number } Returns: string }')
  })

  it('leave out what no call can pass, and say what is a field alone', () => {
    const text = withFunctions(
      fn('by_place', [['', 'int4']], 'int4'),
      fn('body', [['', 'jsonb']], 'int4'),
      fn('field', [['', of]], 'int4'),
    )
    expect(text).not.toContain('by_place')
    expect(text).toContain('body: { Args: { "": Json } Returns: number }')
    expect(text).toMatch(
      /field: { Args: { "": [^}]*} Returns: { error: true } & "the function public.field with/,
    )
  })
})

/** Members of a type literal, by the path of names to it. */
function propertiesOf(file: ts.SourceFile, alias: string, ...path: string[]): Record<string, ts.TypeNode> {
  const found = file.statements.find(each => ts.isTypeAliasDeclaration(each) && each.name.text === alias)
  let node = (found as ts.TypeAliasDeclaration).type
  const members = () =>
    Object.fromEntries(
      (node as ts.TypeLiteralNode).members
        .filter(ts.isPropertySignature)
        .map(each => [(each.name as ts.StringLiteral).text, each.type as ts.TypeNode]),
    )
  for (const name of path) node = members()[name] as ts.TypeNode
  return members()
}
