// The walk against the evaluation that the local permission server has of Keto: thickets with cycles, through the
// asked object too, in several orders of rows, since a check may depend on them.

import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Upstream } from '../../../src/clients/http.ts'
import type { RelationTuple, SubjectSet } from '../../../src/clients/permission-server.ts'
import { Declarations } from '../../../src/features/permissions/declarations.ts'
import { parsePermissionFile } from '../../../src/features/permissions/language/parse.ts'
import { parseTuple, printSubject, printTuple } from '../../../src/features/permissions/tuple-text.ts'
import { startWalk } from '../../../src/features/permissions/walk/start-walk.ts'
import { keyOf } from '../../../src/features/permissions/walk/tuple-reader.ts'
import { walkRelation } from '../../../src/features/permissions/walk/walk-relation.ts'
import { type FactSource, isMember } from '../../../stand-ins/permission-server/check.ts'
import { Namespaces } from '../../../stand-ins/permission-server/namespaces.ts'

const DEPTH = 5
const { file } = parsePermissionFile(`
  class User implements Namespace {}
  class Group implements Namespace {
    related: { member: (User | SubjectSet<Group, "member">)[], parent: Group[] }
    permits = {
      join: (ctx: Context): boolean => this.related.member.includes(ctx.subject) || this.permits.see(ctx),
      see: (ctx: Context): boolean => this.related.parent.traverse(p => p.permits.join(ctx)),
      enter: (ctx: Context): boolean => this.related.member.includes(ctx.subject),
      visit: (ctx: Context): boolean => this.related.parent.traverse(p => p.related.member.includes(ctx.subject)),
    }
  }`)
const namespaces = new Namespaces(file)

const group = fc.integer({ min: 0, max: 6 })
/** Mostly forward and short, so that long ways meet short ones; some back, into cycles. */
const link = fc
  .tuple(
    group,
    fc.oneof({ weight: 7, arbitrary: fc.integer({ min: 1, max: 2 }) }, { weight: 1, arbitrary: group }),
  )
  .map(([from, by]) => [from, (from + by) % 7] as const)
const line = fc.oneof(
  {
    weight: 6,
    arbitrary: link.map(([from, to]) => `Group:${from}#member@Group:${to}#member`),
  },
  { weight: 1, arbitrary: link.map(([from, to]) => `Group:${from}#parent@Group:${to}#`) },
  { weight: 1, arbitrary: group.map(from => `Group:${from}#member@bob`) },
  { weight: 1, arbitrary: link.map(([from, to]) => `Group:${from}#member@Group:${to}#join`) },
)
const graph = fc.uniqueArray(line, { minLength: 6, maxLength: 16 })
const orders = fc.array(fc.infiniteStream(fc.nat()), { minLength: 4, maxLength: 4 })

it('says of every subject what a check says, whatever the order of rows, where it is complete', async () => {
  const seen = { whole: 0, part: 0, granted: 0 }
  await fc.assert(
    fc.asyncProperty(graph, orders, async (drawn, shuffles) => {
      const tuples = ['Group:6#member@alice', ...drawn].map(read)
      for (const relation of ['member', 'see']) {
        const asked = { namespace: 'Group', object: '0', relation }
        const { grants, limits } = await walkRelation(walkOver(tuples), asked)
        for (const [subject, via] of grants)
          expectJoined(via, asked, subject, new Set(tuples.map(printTuple)))
        const isWhole = limits.size === 0
        seen[isWhole ? 'whole' : 'part'] += 1
        seen.granted += grants.size
        for (const shuffle of shuffles) {
          const rows = tuples.toSorted(() => (shuffle.next().value % 2) - 0.5)
          for (const subject of ['alice', 'bob']) {
            const answer = await isMember(namespaces, factsOf(rows, subject), asked, DEPTH)
            const place = `${relation} of ${subject} in ${rows.map(printTuple).join(', ')}`
            if (isWhole) expect(grants.has(subject), place).toBe(answer)
            else if (answer) expect(grants.has(subject), place).toBe(true)
          }
        }
      }
    }),
    { numRuns: 400 },
  )
  // Otherwise the graphs would be too thin, or too thick, to show anything.
  expect(seen.whole).toBeGreaterThan(100)
  expect(seen.part).toBeGreaterThan(100)
  expect(seen.granted).toBeGreaterThan(500)
})

/** `0-1` for `Group:0#member@Group:1#member`. */
const links = (...pairs: string[]) =>
  pairs.map(pair => {
    const [from, to] = pair.split('-')
    return `Group:${from}#member@Group:${to}#member`
  })

// In each a check says no, for some order of rows at least.
it.each([
  [
    'through the asked object, which the server opens once more',
    [...links('0-0', '0-1', '1-3', '3-5', '3-4', '0-2', '2-4', '4-6', '4-4'), 'Group:6#member@alice'],
  ],
  [
    'that only some of the ways to a set have passed',
    [...links('0-1', '0-2', '0-3', '1-4', '3-4', '4-3', '3-5', '5-6'), 'Group:6#member@alice'],
  ],
  [
    'that only some of the ways to a set have passed, which comes first',
    [...links('0-3', '0-2', '0-1', '3-4', '1-4', '4-3', '3-5', '5-6'), 'Group:6#member@alice'],
  ],
  [
    'to the sets that a permit names',
    [...links('0-1', '1-2', '2-3', '4-5'), 'Group:3#member@Group:4#enter', 'Group:5#member@alice'],
  ],
  [
    'to what a permit traverses to',
    [
      ...links('0-1', '1-2', '2-3'),
      'Group:3#member@Group:4#visit',
      'Group:4#parent@Group:5#',
      'Group:5#member@alice',
    ],
  ],
  [
    'to a permit that a permit names',
    [
      ...links('0-1', '1-2', '2-3'),
      'Group:3#member@Group:4#join',
      'Group:4#parent@Group:5#',
      'Group:5#member@alice',
    ],
  ],
])('says that a way may be too long: %s', async (_what, lines) => {
  const asked = { namespace: 'Group', object: '0', relation: 'member' }
  expect([...(await walkRelation(walkOver(lines.map(read)), asked)).limits]).toEqual(['depth'])
})

function read(text: string): RelationTuple {
  const parsed = parseTuple(text)
  if (parsed.outcome === 'unreadable') throw new Error(parsed.problem)
  return parsed.value
}

function walkOver(tuples: readonly RelationTuple[]) {
  const answer: typeof fetch = async input => {
    const query = new URL(String(input)).searchParams
    const names = ['namespace', 'object', 'relation'] as const
    const found = tuples.filter(tuple => names.every(name => [null, tuple[name]].includes(query.get(name))))
    return Response.json({ relation_tuples: found, next_page_token: '' })
  }
  const permissionRead: Upstream = {
    name: 'permission_server',
    variable: 'X',
    baseUrl: 'http://p',
    fetch: answer,
  }
  return startWalk({
    upstreams: { permissionRead },
    permissionFile: { text: '', declarations: new Declarations(file) },
    config: { permissionDepthMax: DEPTH, permissionTuplesMax: 1_000 },
  })
}

/** The rows as a check reads them, in their order. */
function factsOf(rows: readonly RelationTuple[], subject: string): FactSource {
  const rowsOf = (set: SubjectSet) => rows.filter(row => keyOf(row) === keyOf(set))
  const hasSubject = (set: SubjectSet) => rowsOf(set).some(row => printSubject(row) === subject)
  return {
    prefetch: async () => {},
    of: async set => ({
      hasSubject: hasSubject(set),
      sets: rowsOf(set).flatMap(({ subject_set }) =>
        subject_set === undefined ? [] : { ...subject_set, hasSubject: hasSubject(subject_set) },
      ),
    }),
  }
}

/** Stored tuples, each about the object that the one before leads to, and the last about the subject. */
function expectJoined(
  via: readonly string[],
  asked: SubjectSet,
  subject: string,
  stored: ReadonlySet<string>,
): void {
  let { object } = asked
  for (const [index, text] of via.entries()) {
    expect(stored).toContain(text)
    const tuple = read(text)
    expect(tuple.object, via.join(', ')).toBe(object)
    if (index === via.length - 1) expect(printSubject(tuple)).toBe(subject)
    else object = tuple.subject_set?.object ?? ''
  }
}
