// The evaluation of checks: what each step takes of the depth, what is found at all, and what ends a check. By a
// permission file and tuples in memory; the same is asked over HTTP in stand-ins/test/permission-server/check.test.ts.

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parsePermissionFile } from '../../../src/features/permissions/language/parse.ts'
import { tuple, type WireTuple } from '../../../test/support/permission-server.ts'
import { depthOf, type FactSource, type Facts, isMember, SETS_READ } from '../../permission-server/check.ts'
import { Namespaces } from '../../permission-server/namespaces.ts'
import { type Subject, type SubjectSet, setKey, subjectKey } from '../../permission-server/tuple.ts'

function namespacesOf(permits: string): Namespaces {
  const { file, errors } = parsePermissionFile(`
    class User implements Namespace {}
    class Bin implements Namespace { related: { a: User[] } }
    class Doc implements Namespace {
      related: { a: User[], b: User[], c: User[], parent: Doc[] }
      permits = { ${permits} }
    }`)
  expect(errors).toEqual([])
  return new Namespaces(file)
}

/** A check against tuples in their order; `depth` is that of the server unless told. */
function check(namespaces: Namespaces, lines: readonly string[], asked: string, depth = 5): Promise<boolean> {
  const { subject_id, subject_set, ...set } = tuple(asked)
  return isMember(namespaces, factsOf(namespaces, lines.map(tuple), { subject_id, subject_set }), set, depth)
}

/** `onRead` is called whenever something must be read that was not expected. */
function factsOf(
  namespaces: Namespaces,
  tuples: readonly WireTuple[],
  subject: Subject,
  onRead = () => {},
): FactSource {
  const stored = new Map<string, Subject[]>()
  for (const { subject_id, subject_set, ...set } of tuples) {
    const key = setKey(set)
    stored.set(key, [...(stored.get(key) ?? []), { subject_id, subject_set }])
  }
  const wanted = subjectKey(subject)
  const has = (set: SubjectSet) => (stored.get(setKey(set)) ?? []).some(one => subjectKey(one) === wanted)
  const known = new Set<string>()
  const readAll = (sets: readonly SubjectSet[]) => {
    const unknown = sets.filter(set => !known.has(setKey(set)))
    if (unknown.length > 0) onRead()
    for (const set of unknown)
      for (const relation of namespaces.nearby(set)) known.add(setKey({ ...set, relation }))
  }
  const setsIn = (set: SubjectSet) =>
    (stored.get(setKey(set)) ?? []).flatMap(({ subject_set: inner }) =>
      inner === undefined ? [] : { ...inner, hasSubject: has(inner) },
    )
  return {
    async of(set): Promise<Facts> {
      readAll([set])
      const sets = setsIn(set)
      const found = sets.filter(({ hasSubject }) => hasSubject)
      return { hasSubject: has(set), sets: (found.length > 0 ? found : sets).slice(0, SETS_READ) }
    },
    allSets: async set => setsIn(set),
    prefetch: async sets => readAll(sets),
  }
}

describe('the depth of a check', () => {
  it.for([
    [-1, 5],
    [0, 5],
    [1, 1],
    [5, 5],
    [6, 5],
  ] as const)('%i asked for is %i', ([asked, depth]) => {
    expect(depthOf(asked, 5)).toBe(depth)
  })

  it('takes one for a direct tuple and one for each subject set', async () => {
    const namespaces = namespacesOf('')
    const chain = [1, 2, 3, 4, 5, 6].map(i => `Doc:${i}#a@(Doc:${i + 1}#a)`)
    const people = [1, 2, 3, 4, 5, 6, 7].map(i => `Doc:${i}#a@person${i}`)
    const reached = async (depth: number) => {
      const found = people.map((_, i) =>
        check(namespaces, [...chain, ...people], `Doc:1#a@person${i + 1}`, depth),
      )
      return (await Promise.all(found)).filter(Boolean).length
    }
    expect(await Promise.all([1, 2, 3, 4, 5].map(reached))).toEqual([0, 2, 3, 4, 5])
  })

  it('takes one for a nested group and for a traversal, none for `!` and for a child of `&&`', async () => {
    const namespaces = namespacesOf(`
      flat: (ctx) => this.related.a.includes(ctx.subject),
      nested: (ctx) => (this.related.a.includes(ctx.subject) && this.related.b.includes(ctx.subject))
        || this.related.c.includes(ctx.subject),
      both: (ctx) => this.related.a.includes(ctx.subject) && this.related.b.includes(ctx.subject),
      neither: (ctx) => !(this.related.a.includes(ctx.subject) || this.related.b.includes(ctx.subject)),
      up: (ctx) => this.related.parent.traverse(p => p.permits.flat(ctx)),`)
    const lines = ['Doc:1#a@ann', 'Doc:1#b@ann', 'Doc:0#parent@(Doc:1#)', 'Doc:2#a@(Doc:1#a)']
    const least = async (asked: string) => {
      for (const depth of [1, 2, 3, 4, 5]) if (await check(namespaces, lines, asked, depth)) return depth
      return 'none'
    }
    expect(await least('Doc:1#flat@ann')).toBe(1)
    expect(await least('Doc:1#both@ann')).toBe(2)
    expect(await least('Doc:1#nested@ann')).toBe(3)
    expect(await least('Doc:0#up@ann')).toBe(2)
    expect(await least('Doc:0#neither@ann')).toBe(1)
    expect(await least('Doc:2#a@ann')).toBe(2)
    expect(await least('Doc:2#flat@ann')).toBe(3)
  })
})

describe('operators', () => {
  const namespaces = namespacesOf(`
    either: (ctx) => this.related.a.includes(ctx.subject) || this.related.b.includes(ctx.subject),
    both: (ctx) => this.related.a.includes(ctx.subject) && this.related.b.includes(ctx.subject),
    only: (ctx) => this.related.a.includes(ctx.subject) && !this.related.b.includes(ctx.subject),
    neither: (ctx) => !(this.related.a.includes(ctx.subject) || this.related.b.includes(ctx.subject)),
    mixed: (ctx) => this.related.a.includes(ctx.subject) || this.related.b.includes(ctx.subject)
      && this.related.c.includes(ctx.subject),`)

  it.for([
    ['', { either: false, both: false, only: false, neither: true, mixed: false }],
    ['a', { either: true, both: false, only: true, neither: false, mixed: false }],
    ['b', { either: true, both: false, only: false, neither: false, mixed: false }],
    ['ab', { either: true, both: true, only: false, neither: false, mixed: false }],
    ['ac', { either: true, both: false, only: true, neither: false, mixed: true }],
  ] as const)('of a member of "%s"', async ([relations, expected]) => {
    const lines = [...relations].map(relation => `Doc:1#${relation}@ann`)
    const found: Record<string, boolean> = {}
    for (const permit of Object.keys(expected))
      found[permit] = await check(namespaces, lines, `Doc:1#${permit}@ann`)
    expect(found).toEqual(expected)
  })

  it('turn a group that ran out of depth into a yes, as Keto does', async () => {
    expect(await check(namespaces, ['Doc:1#a@ann', 'Doc:1#b@ann'], 'Doc:1#only@ann', 2)).toBe(false)
    const chain = ['Doc:1#b@(Doc:2#b)', 'Doc:2#b@(Doc:3#b)', 'Doc:3#b@ann', 'Doc:1#a@ann']
    expect(await check(namespaces, chain, 'Doc:1#only@ann')).toBe(false)
    expect(await check(namespaces, chain, 'Doc:1#only@ann', 2)).toBe(true)
  })
})

describe('a relation that is not declared', () => {
  const namespaces = namespacesOf('view: (ctx) => this.related.parent.traverse(p => p.permits.view(ctx)),')
  const missing = { httpStatus: 400, body: { reason: 'relation "x" does not exist' } }

  it('is an error when asked for and when met on the way', async () => {
    await expect(check(namespaces, [], 'Doc:1#x@ann')).rejects.toMatchObject(missing)
    await expect(check(namespaces, ['Doc:1#a@(Doc:2#x)'], 'Doc:1#a@ann')).rejects.toMatchObject(missing)
  })

  it('is none after a yes, without depth, in an undeclared namespace, or when it is empty', async () => {
    expect(await check(namespaces, ['Doc:1#a@(Doc:2#x)', 'Doc:1#a@ann'], 'Doc:1#a@ann')).toBe(true)
    expect(await check(namespaces, ['Doc:1#a@(Doc:2#x)', 'Doc:2#x@ann'], 'Doc:1#a@ann')).toBe(true)
    expect(await check(namespaces, ['Doc:1#a@(Doc:2#x)'], 'Doc:1#a@ann', 1)).toBe(false)
    expect(await check(namespaces, ['Doc:1#a@(User:2#x)'], 'Doc:1#a@ann')).toBe(false)
    expect(await check(namespaces, ['Doc:1#a@(Nowhere:2#x)'], 'Doc:1#a@ann')).toBe(false)
    expect(await check(namespaces, ['Doc:1#a@(Doc:2#)', 'Doc:2#@ann'], 'Doc:1#a@ann')).toBe(true)
    expect(await check(namespaces, ['Doc:1#a@(Doc:2#)'], 'Doc:1#a@ann')).toBe(false)
  })
})

describe('width', () => {
  const namespaces = namespacesOf('')
  const sets = (count: number) => Array.from({ length: count }, (_, i) => `Doc:1#a@(Doc:in${i}#a)`)

  it('opens a hundred subject sets, but of more only the first 99', async () => {
    for (const [count, found] of [
      [100, true],
      [101, false],
    ] as const) {
      const lines = [...sets(count), 'Doc:in99#a@(Doc:far#a)', 'Doc:far#a@ann']
      expect(await check(namespaces, lines, 'Doc:1#a@ann'), String(count)).toBe(found)
    }
    const within = [...sets(500), 'Doc:in98#a@(Doc:far#a)', 'Doc:far#a@ann']
    expect(await check(namespaces, within, 'Doc:1#a@ann')).toBe(true)
  })

  it('does not matter for a direct member of one of them', async () => {
    expect(await check(namespaces, [...sets(500), 'Doc:in400#a@ann'], 'Doc:1#a@ann')).toBe(true)
  })

  it('ends a check of too many steps with an error of its own', async () => {
    const web = namespacesOf('up: (ctx) => this.related.parent.traverse(p => p.permits.up(ctx)),')
    const nodes = Array.from({ length: 13 }, (_, i) => i)
    const lines = nodes.flatMap(i => nodes.map(j => `Doc:${i}#parent@(Doc:${j}#)`))
    await expect(check(web, lines, 'Doc:0#up@ann')).rejects.toMatchObject({ httpStatus: 422 })
  })
})

describe('sets that were visited', () => {
  const namespaces = namespacesOf('')

  it('end a cycle', async () => {
    const ring = ['Doc:1#a@(Doc:2#a)', 'Doc:2#a@(Doc:3#a)', 'Doc:3#a@(Doc:1#a)']
    expect(await check(namespaces, ring, 'Doc:1#a@ann')).toBe(false)
    expect(await check(namespaces, [...ring, 'Doc:3#a@ann'], 'Doc:1#a@ann')).toBe(true)
  })

  it('are not opened again, though it would be with more depth: the first way counts, as with Keto', async () => {
    const long = ['Doc:1#a@(Doc:2#a)', 'Doc:1#a@(Doc:9#a)', 'Doc:2#a@(Doc:3#a)', 'Doc:3#a@(Doc:4#a)']
    const rest = ['Doc:4#a@(Doc:5#a)', 'Doc:5#a@ann', 'Doc:1#a@(Doc:4#a)']
    expect(await check(namespaces, [...long, ...rest], 'Doc:1#a@ann', 4)).toBe(false)
    expect(await check(namespaces, [...rest, ...long], 'Doc:1#a@ann', 4)).toBe(true)
  })

  it('are marked one set ahead', async () => {
    const lines = [
      'Doc:1#a@(Doc:2#a)',
      'Doc:1#a@(Doc:3#a)',
      'Doc:2#a@(Doc:3#a)',
      'Doc:3#a@(Doc:4#a)',
      'Doc:4#a@ann',
    ]
    expect(await check(namespaces, lines, 'Doc:1#a@ann', 3)).toBe(true)
  })
})

describe('a traversal', () => {
  it('takes the parents by their namespaces, whatever was written first', async () => {
    const namespaces = namespacesOf(`
      up: (ctx) => this.related.parent.traverse(p => p.permits.view(ctx)),
      view: (ctx) => this.related.a.includes(ctx.subject),`)
    const [withPermit, without] = ['Doc:1#parent@(Doc:2#)', 'Doc:1#parent@(Bin:2#)']
    for (const parents of [
      [withPermit, without],
      [without, withPermit],
    ])
      await expect(check(namespaces, [...parents, 'Doc:2#a@ann'], 'Doc:1#up@ann')).rejects.toMatchObject({
        body: { reason: 'relation "view" does not exist' },
      })
  })
})

describe('reads', () => {
  const namespaces = namespacesOf('view: (ctx) => this.related.a.includes(ctx.subject),')
  const inner = (from: string) =>
    Array.from({ length: 30 }, (_, i) => `Doc:${from}#a@(Doc:${from}-${i}#view)`)

  it.for([2, 3, 4, 5])('are few for sets with a permit, also where the depth ends: %i', async depth => {
    let reads = 0
    const outer = inner('x')
    const lines = [...outer, ...outer.flatMap((_, i) => inner(`x-${i}`))]
    const { subject_id, subject_set, ...set } = tuple('Doc:x#a@nobody')
    const facts = factsOf(namespaces, lines.map(tuple), { subject_id, subject_set }, () => {
      reads += 1
    })
    expect(await isMember(namespaces, facts, set, depth)).toBe(false)
    expect(reads).toBeLessThan(100)
  })
})

describe('random graphs', () => {
  const namespaces = namespacesOf('')
  const node = fc.integer({ min: 0, max: 6 })
  const graph = fc.array(fc.tuple(node, node), { maxLength: 20 })

  /** The sets from which `target` is reached within so many steps, `target` among them. */
  function within(edges: readonly (readonly [number, number])[], from: number, steps: number): Set<number> {
    const found = new Set([from])
    for (let i = 0; i < steps; i += 1)
      for (const near of [...found]) for (const [a, b] of edges) if (a === near) found.add(b)
    return found
  }

  it('never say yes without a way', async () => {
    await fc.assert(
      fc.asyncProperty(graph, node, node, async (edges, start, home) => {
        const lines = [...edges.map(([a, b]) => `Doc:${a}#a@(Doc:${b}#a)`), `Doc:${home}#a@ann`]
        if (await check(namespaces, lines, `Doc:${start}#a@ann`))
          expect(within(edges, start, 4).has(home)).toBe(true)
      }),
    )
  })

  it('say yes to each way that is short enough, where there is only one to each set', async () => {
    const tree = fc
      .array(fc.nat(), { minLength: 1, maxLength: 12 })
      .map(parents => parents.map((parent, i) => [parent % (i + 1), i + 1] as const))
    await fc.assert(
      fc.asyncProperty(tree, fc.nat(), async (edges, any) => {
        const home = any % (edges.length + 1)
        const lines = [...edges.map(([a, b]) => `Doc:${a}#a@(Doc:${b}#a)`), `Doc:${home}#a@ann`]
        const expected = within(edges, 0, 4).has(home)
        expect(await check(namespaces, lines, 'Doc:0#a@ann')).toBe(expected)
      }),
    )
  })
})
