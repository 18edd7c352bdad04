// The remembered catalog, the choice of overloads, and the hints made from both.

import { describe, expect, test } from 'vitest'
import type { DatabaseRole, DataSession } from '../../../src/db/database.ts'
import { type ErrorHintContext, explainPostgresError } from '../../../src/db/error-hints.ts'
import { PostgresError } from '../../../src/db/postgres-error.ts'
import type { Statement } from '../../../src/db/sql.ts'
import type { DomainError } from '../../../src/errors.ts'
import { Catalog, CatalogCache } from '../../../src/features/data-api/catalog/catalog.ts'
import { parseRelations } from '../../../src/features/data-api/catalog/catalog-sql.ts'
import type { DatabaseFunction, Relation } from '../../../src/features/data-api/catalog/catalog-types.ts'
import { resolveFunction } from '../../../src/features/data-api/catalog/function-resolution.ts'
import { chooseSchema, dataSession } from '../../../src/features/data-api/run/data-session.ts'
import { nearestName } from '../../../src/lib/nearest-name.ts'

const SESSION: DataSession = {
  role: 'anon',
  claims: '{"role":"anon"}',
  requestId: 'r',
  share: 'key/unknown',
  searchPath: ['public'],
  timeoutMs: 1,
  method: 'GET',
  path: '/',
  headers: '{}',
  cookies: '{}',
}

const NO_RELATIONSHIPS = { schemas: [], foreignKeys: [], views: [], relationshipFunctions: [] }

function catalogOf(relations: readonly Relation[], functions: readonly DatabaseFunction[]): Catalog {
  return new Catalog({ version: '1', relations, functions, relationships: NO_RELATIONSHIPS }, 0)
}

/** A database that only has a catalog, and counts how often it is read. */
function makeData() {
  const data = {
    reads: 0,
    share: 'key/unknown',
    searchPath: [] as readonly string[],
    async batch(session: DataSession) {
      data.reads += 1
      data.searchPath = session.searchPath
      const relations = [
        {
          schema: 'public',
          name: `t${data.reads}`,
          columns: [['id', 'integer', null, [true, true]]],
          primaryKey: ['id'],
          isView: false,
          changes: 28,
          rights: [true, true],
        },
      ]
      const text = JSON.stringify({ version: '1', relations, functions: [], relationships: NO_RELATIONSHIPS })
      return [{ command: 'SELECT', rowCount: 1, fields: [], rows: [[text]] }]
    },
  }
  return data
}

describe('the cache', () => {
  test('is read once in 30 s, with pg_catalog alone on the path', async () => {
    let nowMs = 0
    const data = makeData()
    const cache = new CatalogCache(['public'], () => new Date(nowMs))
    const first = await cache.read(data, SESSION)
    nowMs = 29_999
    expect(await cache.read(data, SESSION)).toBe(first)
    nowMs = 30_000
    expect(await cache.read(data, SESSION)).not.toBe(first)
    expect([data.reads, data.searchPath]).toEqual([2, ['pg_catalog']])
  })

  test('is believed on where a newer reading meets a lock, which the first one waits for', async () => {
    let nowMs = 0
    const data = makeData()
    const cache = new CatalogCache(['public'], () => new Date(nowMs))
    const first = await cache.read(data, SESSION)
    nowMs = 30_000
    const waits: number[] = []
    const locked = {
      batch: async (_: DataSession, statements: readonly Statement[]) => {
        waits.push(statements.filter(({ sql }) => sql.includes('lock_timeout')).length)
        throw new PostgresError({ code: '55P03', message: 'canceling statement due to lock timeout' })
      },
    }
    const kept = await cache.read(locked, SESSION)
    expect(kept.relation('public', 't1')).toBe(first.relation('public', 't1'))
    nowMs = 59_999
    expect(await cache.read(locked, SESSION)).toBe(kept)
    const other = new CatalogCache(['public'], () => new Date(nowMs))
    await expect(other.read(locked, SESSION)).rejects.toMatchObject({ code: '55P03' })
    expect(waits).toEqual([1, 0])
  })
})

describe('what is remembered of relations', () => {
  test('is not what an older reading brings, which took longer', async () => {
    let nowMs = 0
    const data = makeData()
    const cache = new CatalogCache(['public'], () => new Date(nowMs))
    const slow = Promise.withResolvers<void>()
    const batch = (session: DataSession) => slow.promise.then(() => data.batch(session))
    const older = cache.read({ batch }, SESSION)
    nowMs = 1
    const newer = await cache.read(data, SESSION)
    slow.resolve()
    expect(await older).not.toBe(newer)
    expect(await cache.read(data, SESSION)).toBe(newer)
  })
})

/** A database that has one kind of thing alone, and keeps what was read: `*`, or one name. */
function makeNamed(kind: 'relations' | 'functions', rowOf: (name: string) => object) {
  const data = {
    names: [] as string[],
    reads: [] as string[],
    async batch(_: DataSession, [statement]: readonly Statement[]) {
      const wanted = statement?.params[1]?.toString()
      data.reads.push(wanted ?? '*')
      const rows = data.names.filter(name => wanted === undefined || name === wanted).map(rowOf)
      const text = JSON.stringify(
        wanted === undefined
          ? { version: '1', relations: [], functions: [], relationships: NO_RELATIONSHIPS, [kind]: rows }
          : rows,
      )
      return [{ command: 'SELECT', rowCount: 1, fields: [], rows: [[text]] }]
    },
  }
  return data
}

/** Tables without columns. */
const makeRelations = () =>
  makeNamed('relations', name => ({
    schema: 'public',
    name,
    columns: [],
    primaryKey: [],
    isView: false,
    changes: 28,
    rights: [true],
  }))

/** Functions without arguments. */
const makeFunctions = () =>
  makeNamed('functions', name => ({
    schema: 'public',
    name,
    argumentTypes: [],
    defaults: 0,
    rights: [true, true],
  }))

describe('the relation of one name', () => {
  const named = (name: string) => ({ schema: 'public', name })

  test('is found at once, however many were looked for in vain, and then remembered', async () => {
    const data = makeRelations()
    const cache = new CatalogCache(['public'], () => new Date(0))
    await cache.read(data, SESSION)
    for (let i = 0; i < 100; i++) await cache.readRelation(data, SESSION, named(`made_up_${i}`))
    await cache.readRelation(data, SESSION, named('late'))
    data.names.push('late')
    const fresh = await cache.readRelation(data, SESSION, named('late'))
    expect(fresh.relation('public', 'late')?.changes).toEqual(['POST', 'PATCH', 'DELETE'])
    expect(await cache.read(data, SESSION)).toBe(fresh)
    // The attack: a name that nobody has heard of in each request, and the whole catalog is read for it.
    expect(data.reads.filter(read => read === '*')).toHaveLength(1)
  })

  test('goes where there is none any more, and the others stay', async () => {
    const data = makeRelations()
    data.names = ['gone', 'other']
    const cache = new CatalogCache(['public'], () => new Date(0))
    await cache.read(data, SESSION)
    data.names = ['other']
    const fresh = await cache.readRelation(data, SESSION, named('gone'))
    expect(fresh.relationNames('public', 'anon')).toEqual(['other'])
  })

  test('is read with all others where nothing is remembered', async () => {
    const data = makeRelations()
    data.names = ['a']
    const cache = new CatalogCache(['public'], () => new Date(0))
    await cache.readRelation(data, SESSION, named('a'))
    expect(data.reads).toEqual(['*'])
  })
})

describe('rights', () => {
  test('count for the roles that have them, and for none that is not there', async () => {
    const relation = (rights: (boolean | null)[]) => ({
      schema: 'public',
      name: 'notes',
      columns: [['id', 'integer', null, rights]],
      primaryKey: ['id'],
      isView: false,
      changes: 28,
      rights,
    })
    const usableBy = (rights: (boolean | null)[]) =>
      parseRelations(JSON.stringify([relation(rights)]))[0]?.usableBy
    expect(usableBy([false, true, true])).toEqual(['service_role', 'authenticated'])
    expect(usableBy([true, true, null])).toEqual(['anon', 'service_role'])
  })
})

describe('functions of one name', () => {
  const named = (name: string) => ({ schema: 'public', name })

  test('are found however many were looked for in vain at the same moment, and then remembered', async () => {
    const data = makeFunctions()
    const cache = new CatalogCache(['public'], () => new Date(0))
    const known = await cache.read(data, SESSION)
    for (let i = 0; i < 100; i++) {
      expect(await cache.refreshFunctions(data, SESSION, named(`made_up_${i}`), known)).toBe(known)
    }
    await cache.refreshFunctions(data, SESSION, named('late'), known)
    data.names.push('late')
    const fresh = await cache.refreshFunctions(data, SESSION, named('late'), known)
    expect(fresh.functions('public', 'late')).toHaveLength(1)
    expect(await cache.read(data, SESSION)).toBe(fresh)
    // The attack: a name that nobody has heard of in each request, and the whole catalog is read for it.
    expect(data.reads.filter(read => read === '*')).toHaveLength(1)
  })

  test('take the place of those that are remembered, beside the others', async () => {
    const data = makeFunctions()
    data.names = ['gone', 'other']
    const cache = new CatalogCache(['public'], () => new Date(0))
    const known = await cache.read(data, SESSION)
    data.names = ['other']
    const fresh = await cache.refreshFunctions(data, SESSION, named('gone'), known)
    expect(fresh.functionNames('public', 'anon')).toEqual(['other'])
    expect(known.functionNames('public', 'anon')).toEqual(['gone', 'other'])
  })

  test('are the same catalog where nothing has changed, so that no call is made twice for nothing', async () => {
    const data = makeFunctions()
    data.names = ['same', 'same']
    const cache = new CatalogCache(['public'], () => new Date(0))
    const known = await cache.read(data, SESSION)
    expect(await cache.refreshFunctions(data, SESSION, named('same'), known)).toBe(known)
  })
})

describe('overloads', () => {
  const make = (name: string, ...names: string[]) => makeTaking('json', name, ...names)
  const makeTaking = (wholeType: string, name: string, ...names: string[]): DatabaseFunction => ({
    schema: 'public',
    name,
    version: '1 1',
    arguments: names.map(text => ({
      name: text.replace('?', ''),
      type: text === '' ? wholeType : 'integer',
      hasDefault: text.endsWith('?'),
      isVariadic: false,
    })),
    returns: 'scalar',
    isRecord: false,
    resultColumns: [],
    resultTable: undefined,
    media: undefined,
    returnsSet: false,
    isVolatile: true,
    usableBy: ['anon', 'service_role'],
  })
  const forService = (target: DatabaseFunction): DatabaseFunction => ({
    ...target,
    usableBy: ['service_role'],
  })
  const catalog = catalogOf(
    [],
    [make('add', 'a', 'b?'), make('add', 'a', 'c'), make('raw', ''), make('none')],
  )
  const json = (names: string[] | undefined) => ({ names, wholeTypes: ['json', 'jsonb'] })
  const resolve = (name: string, names: string[] | undefined) =>
    resolveFunction(catalog, { schema: 'public', name }, json(names), 'anon')
  const code = (expected: string) => expect.objectContaining({ code: expected })

  test('are chosen by the names sent, defaults left out or not', () => {
    expect(resolve('add', ['a']).target.arguments[1]?.name).toBe('b')
    expect(resolve('add', ['c', 'a']).target.arguments[1]?.name).toBe('c')
    expect(resolve('none', []).passing).toBe('byName')
  })

  test('one unnamed JSON argument takes any body', () => {
    expect(resolve('raw', ['x']).passing).toBe('wholeBody')
    expect(resolve('raw', undefined).passing).toBe('wholeBody')
    expect(() => resolve('none', undefined)).toThrow(code('function_not_found'))
  })

  test.each([[['a', 'b', 'c']], [['b']], [[]], [['']]])('%j fits none', names =>
    expect(() => resolve('add', names)).toThrow(code('function_not_found')),
  )

  test('{"": ...} is the whole body of a function with one argument without a name', () => {
    const only = catalogOf([], [makeTaking('text', 'f', '')])
    const { passing } = resolveFunction(only, { schema: 'public', name: 'f' }, json(['']), 'anon')
    expect(passing).toBe('wholeBody')
    const others = catalogOf([], [makeTaking('integer', 'f', ''), makeTaking('text', 'f', '', '')])
    expect(() => resolveFunction(others, { schema: 'public', name: 'f' }, json(['']), 'anon')).toThrow(
      code('function_not_found'),
    )
  })

  test('several fits are ambiguous', () => {
    const twice = catalogOf([], [make('f', 'a'), make('f', 'a')])
    expect(() => resolveFunction(twice, { schema: 'public', name: 'f' }, json(['a']), 'anon')).toThrow(
      code('ambiguous_function'),
    )
    const both = catalogOf([], [makeTaking('json', 'f', ''), makeTaking('jsonb', 'f', '')])
    expect(() => resolveFunction(both, { schema: 'public', name: 'f' }, json(['a']), 'anon')).toThrow(
      code('ambiguous_function'),
    )
  })

  test('a body that is no JSON means the argument without a name of its type', () => {
    const types = ['json', 'text', 'xml', 'bytea']
    const functions = types.map(type => makeTaking(type, 'f', ''))
    const overloaded = catalogOf([], [make('f'), make('f', 'a'), ...functions])
    const typeOf = (type: string) => {
      const passed = { names: undefined, wholeTypes: [type] }
      return resolveFunction(overloaded, { schema: 'public', name: 'f' }, passed, 'anon').target.arguments[0]
        ?.type
    }
    expect(types.map(typeOf)).toEqual(types)
    expect(() => typeOf('integer')).toThrow(code('function_not_found'))
  })

  // The anon key is public: what it may not call it must not be able to list by guessing.
  test.each([
    ['a wrong argument', 'wages', ['guess']],
    ['a near name', 'wagse', []],
    ['arguments that fit several', 'pay', ['salary']],
  ])('%s names functions only to a role that may call them', (_, name, names) => {
    const hidden = [make('wages', 'salary'), make('pay', 'salary'), make('pay', 'salary', 'bonus?')]
    const partly = catalogOf([], hidden.map(forService))
    const refusal = (role: DatabaseRole) => {
      try {
        resolveFunction(partly, { schema: 'public', name }, json(names), role)
        return 'none'
      } catch (err) {
        const { message, hint } = err as DomainError
        return `${message} ${hint}`.replaceAll(`public.${name}(${names.join(', ')})`, '')
      }
    }
    expect(refusal('service_role')).toMatch(/public\.(?:wages|pay)/)
    expect(refusal('anon')).not.toMatch(/public\.(?:wages|pay)\(|public\.wages|bonus|integer/)
  })
})

describe('an argument without a name', () => {
  const refused = (...types: string[]) => {
    const target: DatabaseFunction = {
      schema: 'public',
      name: 'bare',
      version: '1 1',
      arguments: types.map(type => ({ name: '', type, hasDefault: false, isVariadic: false })),
      returns: 'scalar',
      isRecord: false,
      resultColumns: [],
      resultTable: undefined,
      media: undefined,
      returnsSet: false,
      isVolatile: true,
      usableBy: ['anon'],
    }
    const called = { schema: 'public', name: 'bare' }
    try {
      resolveFunction(catalogOf([], [target]), called, { names: ['x'], wholeTypes: ['json'] }, 'anon')
    } catch (err) {
      return (err as DomainError).hint
    }
  }

  test('is the whole body where its type can be one, and else has to get a name', () => {
    expect(refused('text')).toMatch(/public\.bare\(text\).*whole body with Content-Type: text\/plain/)
    expect(refused('bytea')).toContain('application/octet-stream')
    expect(refused('integer')).toMatch(/public\.bare\(integer\).*give it one/)
    expect(refused('text', 'text')).toMatch(/give it one/)
  })
})

describe('hints', () => {
  const everyone: DatabaseRole[] = ['anon', 'service_role']
  const column = (name: string, usableBy = everyone) => ({
    name,
    type: 'text',
    baseType: 'text',
    defaultSql: undefined,
    usableBy,
  })
  const columns = [
    ...['id', 'name', 'created_at'].map(name => column(name)),
    column('salary', ['service_role']),
  ]
  const payroll = [column('id', ['service_role']), column('iban', ['service_role'])]
  const relations = [
    {
      schema: 'public',
      name: 'users',
      columns,
      primaryKey: ['id'],
      isView: false,
      changes: [],
      usableBy: everyone,
    },
    {
      schema: 'public',
      name: 'payroll',
      columns: payroll,
      primaryKey: ['id'],
      isView: false,
      changes: [],
      usableBy: ['service_role' as const],
    },
  ]
  const catalog = catalogOf(relations, [])
  test('of a right that nobody can name is one GRANT, not the same twice', () => {
    const err = new PostgresError({ code: '42501', message: 'permission denied for table users' })
    expect(explainPostgresError(err, { role: 'service_role' }).hint).toBe(
      'Run: GRANT <the right it needs> ON users TO service_role;',
    )
  })

  const context = { role: 'anon' as const, schema: 'public', table: 'users', privileges: 'SELECT', catalog }
  const hint = (code: string, message: string, more = {}, other: Partial<ErrorHintContext> = {}) =>
    explainPostgresError(new PostgresError({ code, message, ...more }), { ...context, ...other }).hint

  test.each([
    ['42703', 'column users.nmae does not exist', '"name"'],
    ['42703', 'column "create_at" of relation "users" does not exist', '"created_at"'],
    ['42P01', 'relation "public.user" does not exist', '"public.users"'],
    ['42501', 'permission denied for table users', 'GRANT SELECT ON public.users TO anon;'],
    ['42501', 'permission denied for table My Table', 'GRANT SELECT ON "My Table" TO anon;'],
    ['42501', 'permission denied for function f', 'GRANT EXECUTE ON FUNCTION f TO anon'],
    ['42501', 'permission denied for sequence s', 'GRANT USAGE ON SEQUENCE s TO anon'],
    ['42501', 'new row violates row-level security policy for table "users"', '"users" lets anon'],
    ['23502', 'null value in column "done" of relation "users"', 'Prefer: missing=default'],
    ['22P02', 'invalid input syntax for type integer: "x"', 'valid integer'],
    ['22P02', 'invalid input value for enum mood: "x"', 'valid mood'],
    ['22P02', 'invalid input syntax for type double precision: "x"', 'valid double precision'],
    ['42883', 'operator does not exist: integer ~~ unknown', 'operator'],
    ['57014', 'canceling statement due to statement timeout', 'too long'],
  ])('%s %s', (code, message, expected) => expect(hint(code, message)).toContain(expected))

  // The anon key is public: names that its role has no right to must not be had by guessing near them.
  test.each([
    ['a near column', '42703', 'column users.salry does not exist', 'users', /salary/],
    ['a column of a closed table', '42703', 'column payroll.nope does not exist', 'payroll', /iban/],
    ['a near table', '42P01', 'relation "public.payrol" does not exist', 'payrol', /public\.payroll/],
  ])('%s is named only to a role that may use it', (_, code, message, table, name) => {
    expect(hint(code, message, {}, { role: 'service_role', table })).toMatch(name)
    expect(hint(code, message, {}, { role: 'anon', table }) ?? '').not.toMatch(name)
  })

  test("Postgres' own nearest column goes only to a role that may use it", () => {
    const refused = (table: string, near: string, role: DatabaseRole) =>
      hint(
        '42703',
        `column ${table}.x does not exist`,
        { hint: `Perhaps you meant to reference the column "${table}.${near}".` },
        { role, table },
      ) ?? ''
    expect(refused('users', 'name', 'anon')).toContain('"users.name"')
    expect(refused('users', 'salary', 'service_role')).toContain('"users.salary"')
    expect(refused('users', 'salary', 'anon')).not.toContain('salary')
    expect(refused('payroll', 'iban', 'anon')).not.toContain('iban')
  })

  test('a table that is missing is not advised in place of itself', () => {
    expect(hint('42P01', 'relation "public.users" does not exist')).not.toContain('"public.users"')
  })

  test('an upsert is not advised to one that was one, but to the columns that clash', () => {
    const duplicate = (isUpsert: boolean) =>
      hint('23505', 'duplicate key', { constraint: 'users_email_key' }, { isUpsert })
    expect(duplicate(false)).toContain('resolution=merge-duplicates')
    expect(duplicate(true)).toMatch(/"users_email_key".*on_conflict/)
  })

  test('a policy that refuses a row names what this request lacks', () => {
    const refused = (more: Partial<ErrorHintContext>) =>
      hint('42501', 'new row violates row-level security policy for table "users"', {}, more)
    expect(refused({})).toContain('return=minimal')
    expect(refused({ readsBack: false })).not.toContain('return=minimal')
    expect(refused({ isWithoutUser: true })).toContain('Authorization: Bearer')
    expect(refused({ isUpsert: true })).toMatch(/FOR SELECT, FOR INSERT and FOR UPDATE/)
    expect(refused({ isUpsert: true })).not.toContain('return=minimal')
  })

  test('no hint names an endpoint that this version does not have', () => {
    expect(hint('42P01', 'relation "public.zzzzzz" does not exist')).not.toContain('/v1/database')
  })

  test("Postgres' own hint stays, an unknown code has none", () => {
    expect(hint('42703', 'column x does not exist', { hint: 'own' })).toBe('own')
    expect(hint('XX999', 'odd')).toBeUndefined()
  })

  test.each([
    ['nmae', 'name'],
    ['usres', 'users'],
    ['USERS', 'users'],
    ['zzzzzz', undefined],
    ['x', undefined],
  ])('the name nearest to %s is %s', (name, nearest) =>
    expect(nearestName(name, ['name', 'users', 'id'])).toBe(nearest),
  )
})

describe('the session of a call', () => {
  const call = {
    name: 'users',
    path: '/v1/db/users',
    search: '?x=1',
    method: 'GET',
    headers: new Headers({ apikey: 'k', authorization: 'Bearer t', cookie: 'c=1', 'X-Tenant': 'acme' }),
    role: 'anon' as const,
    claims: { sub: 'u1', role: 'service_role' },
    requestId: 'req',
    share: 'key/unknown',
    timeoutMs: 3_000,
    readBodyBytes: async () => new Uint8Array(),
    readRawBytes: async () => new Uint8Array(),
  }

  test("the key's role wins over the claims, and credentials are no headers", () => {
    const session = dataSession(call, 'public', [])
    expect(JSON.parse(session.claims)).toEqual({ sub: 'u1', role: 'anon' })
    expect(JSON.parse(session.headers)).toEqual({ 'x-tenant': 'acme' })
    expect(session).toMatchObject({ role: 'anon', path: '/v1/db/users', searchPath: ['public'] })
  })

  test('reads take Accept-Profile, writes Content-Profile, and only exposed schemas', () => {
    const headers = new Headers({ 'accept-profile': 'b', 'content-profile': 'a' })
    expect(chooseSchema({ method: 'GET', headers }, ['a', 'b'])).toBe('b')
    expect(chooseSchema({ method: 'POST', headers }, ['a', 'b'])).toBe('a')
    expect(chooseSchema({ method: 'GET', headers: new Headers() }, ['a', 'b'])).toBe('a')
    expect(() => chooseSchema({ method: 'GET', headers }, ['a'])).toThrow(
      expect.objectContaining({ code: 'schema_not_exposed' }),
    )
  })
})
