// The walk where the permission file is not the usual one; against a real server there is the contract test.

import { expect, it } from 'vitest'
import type { Upstream } from '../../../src/clients/http.ts'
import { Declarations } from '../../../src/features/permissions/declarations.ts'
import { parsePermissionFile } from '../../../src/features/permissions/language/parse.ts'
import { parseTuple } from '../../../src/features/permissions/tuple-text.ts'
import { AnswerRoom } from '../../../src/features/permissions/walk/answer-room.ts'
import { TupleReader } from '../../../src/features/permissions/walk/tuple-reader.ts'
import { walkRelation } from '../../../src/features/permissions/walk/walk-relation.ts'
import { whoCanAccess } from '../../../src/features/permissions/who-can-access.ts'
import { Turns } from '../../../src/lib/turns.ts'

/** Has these tuples, a page of two at a time. */
function serverWith(lines: readonly string[]): Upstream {
  const tuples = lines.map(line => {
    const read = parseTuple(line)
    if (read.outcome === 'unreadable') throw new Error(read.problem)
    return read.value
  })
  const answer: typeof fetch = async input => {
    const query = new URL(String(input)).searchParams
    const from = Number(query.get('page_token') ?? 0)
    const names = ['namespace', 'object', 'relation'] as const
    const found = tuples.filter(tuple => names.every(name => [null, tuple[name]].includes(query.get(name))))
    const next = found.length > from + 2 ? String(from + 2) : ''
    return Response.json({ relation_tuples: found.slice(from, from + 2), next_page_token: next })
  }
  return { name: 'permission_server', variable: 'X', baseUrl: 'http://p', fetch: answer }
}

async function walk(
  permits: string,
  lines: readonly string[],
  relation: string,
  bounds = { tuplesMax: 1_000, callsMax: 1_000 },
  bytes = 1_000_000,
) {
  const file = parsePermissionFile(`
    class Group implements Namespace { related: { member: (Group | SubjectSet<Group, "member">)[] } }
    class Doc implements Namespace {
      related: { reader: (Group | SubjectSet<Group, "member">)[], banned: Group[], parent: Doc[] }
      permits = { ${permits} }
    }`)
  expect(file.errors).toEqual([])
  const walked = await walkRelation(
    {
      reader: new TupleReader(serverWith(lines), bounds),
      declarations: new Declarations(file.file),
      depthMax: 5,
      room: new AnswerRoom(bytes),
      turns: new Turns(),
    },
    { namespace: 'Doc', object: 'd', relation },
  )
  return { subjects: [...walked.grants.keys()].sort(), limits: [...walked.limits] }
}

it('follows a permit in parentheses', async () => {
  const permits =
    'read: (ctx: Context): boolean => this.related.reader.includes(ctx.subject) || ' +
    '(this.related.parent.traverse(p => p.permits.read(ctx)) || this.related.banned.includes(ctx.subject)),'
  const lines = ['Doc:d#parent@Doc:e#', 'Doc:e#reader@alice', 'Doc:d#banned@bob', 'Doc:d#read@carol']
  expect(await walk(permits, lines, 'read')).toEqual({ subjects: ['alice', 'bob', 'carol'], limits: [] })
})

it('says that it does not follow "&&" and "!", and still finds who has the permit directly', async () => {
  const permits =
    'read: (ctx: Context): boolean => this.related.reader.includes(ctx.subject) && ' +
    '!this.related.banned.includes(ctx.subject),'
  const lines = ['Doc:d#reader@alice', 'Doc:d#read@bob']
  expect(await walk(permits, lines, 'read')).toEqual({ subjects: ['bob'], limits: ['operator'] })
})

it('ends in a thicket of cycles, and says that something may be missing', async () => {
  const groups = Array.from({ length: 30 }, (_, n) => `Group:${n}`)
  const lines = groups.flatMap(one => groups.map(other => `${one}#member@${other}#member`))
  const { limits } = await walk('', ['Doc:d#reader@Group:0#member', ...lines], 'reader', {
    tuplesMax: 10_000,
    callsMax: 10_000,
  })
  expect(limits).toContain('depth')
})

it('stops at the bound of calls, and says so', async () => {
  const lines = Array.from({ length: 6 }, (_, n) => [
    `Doc:d#reader@Group:${n}#member`,
    `Group:${n}#member@user-${n}`,
  ]).flat()
  const bounds = { tuplesMax: 1_000, callsMax: 5 }
  const { subjects, limits } = await walk('', lines, 'reader', bounds)
  expect(limits).toEqual(['calls'])
  expect(subjects.length).toBeGreaterThan(6)
  expect(subjects.length).toBeLessThan(12)
})

it('stops where the answer has no room, and says so', async () => {
  const lines = Array.from({ length: 50 }, (_, n) => `Doc:d#reader@user-${n}`)
  const { subjects, limits } = await walk('', lines, 'reader', undefined, 500)
  expect(limits).toEqual(['size'])
  expect(subjects.length).toBeGreaterThan(3)
  expect(subjects.length).toBeLessThan(20)
})

// Each subject is in the list and in the matrix, in bytes of UTF-8 and behind JSON's escapes.
it.each([
  ['characters of three bytes', '中'.repeat(300)],
  ['characters with escapes', '\u0001'.repeat(300)],
  ['characters of four bytes', '🦊'.repeat(200)],
])('ends an answer of many subjects at 8 MiB of JSON: %s', async (_what, long) => {
  const tuples = Array.from({ length: 10_000 }, (_, n) => {
    return { namespace: 'Doc', object: 'd', relation: 'reader', subject_id: `${n}${long}` }
  })
  const fetch = async (input: unknown) => {
    const from = Number(/page_token=p+(\d+)/.exec(String(input))?.[1] ?? 0)
    const next_page_token = from + 500 < tuples.length ? `${'p'.repeat(40)}${from + 500}` : ''
    return Response.json({ relation_tuples: tuples.slice(from, from + 500), next_page_token })
  }
  const permits =
    'read: (ctx: Context): boolean => this.related.reader.includes(ctx.subject), ' +
    'look: (ctx: Context): boolean => this.permits.read(ctx)'
  const text = `class Doc implements Namespace { related: { reader: Doc[] } permits = { ${permits} } }`
  const report = await whoCanAccess(
    {
      upstreams: {
        permissionRead: {
          name: 'permission_server',
          variable: 'X',
          baseUrl: 'http://p',
          fetch,
        },
      },
      permissionFile: { text, declarations: new Declarations(parsePermissionFile(text).file) },
      config: { permissionDepthMax: 10, permissionTuplesMax: 50_000 },
    },
    { namespace: 'Doc', object: 'd' },
  )
  const bytes = new TextEncoder().encode(JSON.stringify(report)).length
  expect(bytes).toBeLessThan(8 * 1024 * 1024 + 10_000)
  expect(bytes).toBeGreaterThan(4 * 1024 * 1024)
  expect(report.permits.at(-1)).toMatchObject({ truncated_by: 'size' })
})
