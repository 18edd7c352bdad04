// Checks, batches and trees: the Keto wire, by public HTTP only. Runs against our own server, or a real one
// (test/support/permission-server.ts). What a check finds at all is in evaluation.test.ts too.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  allowed,
  ask,
  given,
  openPermissions,
  type Permissions,
  query,
  tuple,
  unique,
  type WireTuple,
} from '../../../test/support/permission-server.ts'

let server: Permissions
let checkUrl: string

beforeAll(async () => {
  server = await openPermissions()
  checkUrl = `${server.readUrl}/relation-tuples/check`
})
afterAll(() => server?.[Symbol.asyncDispose]())

const REFUSED = { status: 400, body: { error: { code: 400, status: 'Bad Request' } } }

function askBatch(tuples: unknown, more = '') {
  return ask(`${server.readUrl}/relation-tuples/batch/check${more}`, { json: { tuples } })
}

function expand(namespace: string, object: string, relation: string, more = {}) {
  const parameters = new URLSearchParams({ namespace, object, relation, ...more })
  return ask(`${server.readUrl}/relation-tuples/expand?${parameters}`)
}

describe('a check', () => {
  it('answers by GET and POST alike; a no is a 403, but a 200 under /openapi', async () => {
    const [p, ann] = [unique('p'), unique('ann')]
    await given(server, `Project:${p}#owner@${ann}`)
    for (const [who, yes] of [
      [ann, true],
      ['nobody', false],
    ] as const) {
      const line = `Project:${p}#owner@${who}`
      for (const [path, no] of [
        ['', 403],
        ['/openapi', 200],
      ] as const) {
        const answers = [
          await ask(`${checkUrl}${path}?${query(line)}`),
          await ask(checkUrl + path, { json: tuple(line) }),
        ]
        for (const answer of answers)
          expect(answer).toMatchObject({ status: yes ? 200 : no, body: { allowed: yes } })
      }
    }
  })

  it('follows subject sets, permits and parents', async () => {
    const [p, q, o] = [unique('p'), unique('q'), unique('o')]
    await given(
      server,
      `Organization:${o}#admin@root`,
      `Organization:${o}#member@(Organization:${o}#admin)`,
      `Organization:${o}#member@mia`,
      `Project:${p}#owner@(Organization:${o}#admin)`,
      `Project:${p}#viewer@(Organization:${o}#member)`,
      `Project:${q}#parent@(Project:${p}#)`,
    )
    const who = async (set: string) => {
      const found = []
      for (const id of ['root', 'mia', 'max']) if (await allowed(server, `${set}@${id}`)) found.push(id)
      return found
    }
    expect(await who(`Project:${p}#owner`)).toEqual(['root'])
    expect(await who(`Project:${p}#edit`)).toEqual(['root'])
    expect(await who(`Project:${p}#view`)).toEqual(['root', 'mia'])
    expect(await who(`Project:${q}#view`)).toEqual(['root', 'mia'])
    expect(await who(`Project:${q}#edit`)).toEqual([])
    expect(await allowed(server, `Project:${p}#owner@(Organization:${o}#admin)`)).toBe(true)
    expect(await allowed(server, `Project:${p}#view@(Organization:${o}#admin)`)).toBe(true)
    const asText = { ...tuple(`Project:${p}#owner@x`), subject_id: `Organization:${o}#admin` }
    expect(await allowed(server, asText)).toBe(false)
  })

  it('looks five deep: four sets in between, three with one permit, two with a permit of a permit', async () => {
    const [p, o] = [unique('p'), unique('o')]
    await given(
      server,
      ...[1, 2, 3, 4, 5, 6].flatMap(i => [
        `Organization:${o}${i}#member@person${i}`,
        `Organization:${o}${i}#member@(Organization:${o}${i + 1}#member)`,
      ]),
      `Project:${p}#viewer@(Organization:${o}1#member)`,
      `Project:${p}#owner@(Organization:${o}1#member)`,
    )
    const last = async (set: string, more = {}) => {
      const found = await Promise.all([1, 2, 3, 4, 5, 6].map(i => allowed(server, `${set}@person${i}`, more)))
      return found.lastIndexOf(true) + 1
    }
    expect(await last(`Organization:${o}1#member`)).toBe(5)
    expect(await last(`Project:${p}#viewer`)).toBe(4)
    expect(await last(`Project:${p}#edit`)).toBe(3)
    expect(await last(`Project:${p}#viewer`, { 'max-depth': '3' })).toBe(2)
    expect(await last(`Project:${p}#viewer`, { 'max-depth': '1' })).toBe(0)
    expect(await last(`Project:${p}#viewer`, { 'max-depth': '99' })).toBe(4)
  })

  it.for([
    ['-1', true],
    ['1', false],
    ['x', undefined],
    ['', undefined],
  ] as const)('reads max-depth "%s"', async ([depth, yes]) => {
    const line = `Project:${unique('p')}#owner@ann`
    await given(server, line)
    const answer = await ask(`${checkUrl}?${query(line, { 'max-depth': depth })}`)
    if (yes === undefined) expect(answer).toMatchObject(REFUSED)
    else expect(answer.body).toEqual({ allowed: yes })
  })

  it('denies what is of an unknown namespace, and refuses a relation that is not declared', async () => {
    const p = unique('p')
    for (const line of [`Nowhere:${p}#x@ann`, `Project:${p}#owner@(Nowhere:o#x)`])
      expect(await ask(`${checkUrl}/openapi?${query(line)}`)).toMatchObject({
        status: 200,
        body: { allowed: false },
      })
    await given(server, `Project:${p}#chef@ann`, `Project:${p}#viewer@(Organization:o#chef)`)
    for (const line of [`Project:${p}#chef@ann`, `Project:${p}#view@max`])
      expect(await ask(`${checkUrl}?${query(line)}`)).toMatchObject({
        status: 400,
      })
    await given(server, `User:${p}#likes@ann`)
    expect(await allowed(server, `User:${p}#likes@ann`)).toBe(true)
    expect(await allowed(server, `Project:${p}#@ann`)).toBe(false)
  })

  it('looks into the parents by their namespaces: an error of an earlier one hides the yes of a later', async () => {
    const [o, q] = [unique('o'), unique('q')]
    const projects = Array.from({ length: 12 }, () => unique('p'))
    await given(
      server,
      `Project:${q}#owner@ann`,
      ...projects.flatMap(p => [
        `Project:${p}#parent@(Project:${q}#)`,
        `Project:${p}#parent@(Organization:${o}#)`,
      ]),
    )
    for (const p of projects)
      expect(await ask(`${checkUrl}?${query(`Project:${p}#view@ann`)}`)).toMatchObject({
        status: 400,
      })
  })

  it('refuses what is incomplete; by POST only a missing subject', async () => {
    const whole = tuple('Project:p#owner@ann')
    for (const part of ['namespace', 'object', 'relation', 'subject_id'] as const) {
      const { [part]: _, ...rest } = whole
      const found = await ask(`${checkUrl}?${new URLSearchParams(rest as Record<string, string>)}`)
      expect(found, part).toMatchObject(REFUSED)
    }
    const { subject_id: _, ...noSubject } = whole
    expect(await ask(checkUrl, { json: noSubject })).toMatchObject(REFUSED)
    expect(await ask(checkUrl, { json: { ...whole, relation: null } })).toMatchObject({ status: 403 })
    expect(await ask(checkUrl, { json: {} })).toMatchObject({ status: 403, body: { allowed: false } })
    expect(await ask(`${checkUrl}?${query(whole, { 'subject_set.object': 'o' })}`)).toMatchObject(REFUSED)
    expect(
      await ask(`${checkUrl}?namespace=Project&object=p&relation=owner&subject_set.object=o`),
    ).toMatchObject(REFUSED)
    expect(await ask(`${checkUrl}?${query(whole, { subject: 'ann' })}`)).toMatchObject(REFUSED)
  })

  it('takes the id where both subjects are given, and refuses what is no tuple', async () => {
    const [p, ann] = [unique('p'), unique('ann')]
    await given(server, `Project:${p}#owner@${ann}`)
    const json = { ...tuple(`Project:${p}#owner@${ann}`), subject_set: { namespace: 'Nowhere' } }
    expect(await ask(checkUrl, { json })).toMatchObject({ status: 200, body: { allowed: true } })
    for (const raw of ['', '{', '[]', '"x"', '{"object":1}', '{"subject_set":"a:b#c"}'])
      expect((await ask(checkUrl, { raw })).status, raw).toBe(400)
  })

  it('finds ids with separators, of other scripts and of a megabyte, and nothing that holds a zero byte', async () => {
    const p = unique('p')
    for (const id of [
      'a:b#c@d',
      '(Organization:x#member)',
      'ünï-日本語-🙂',
      "o'clock %_\\",
      '',
      'x'.repeat(1_000_000),
    ]) {
      const line: WireTuple = { namespace: 'Project', object: p + id, relation: 'owner', subject_id: id }
      await given(server, line)
      expect(await ask(checkUrl, { json: line }), id.slice(0, 40)).toMatchObject({ body: { allowed: true } })
      const other = { ...line, subject_id: `${id}y` }
      expect(await ask(checkUrl, { json: other })).toMatchObject({ body: { allowed: false } })
    }
    expect(await allowed(server, `Project:${p}\0#owner@\0`)).toBe(false)
  })
})

describe('a batch', () => {
  it('answers each item in its place, with its error beside a no', async () => {
    const [p, o] = [unique('p'), unique('o')]
    await given(server, `Project:${p}#owner@ann`, `Project:${p}#viewer@(Organization:${o}#member)`)
    const lines = [
      `Project:${p}#owner@ann`,
      `Project:${p}#view@bob`,
      `Nowhere:${p}#owner@ann`,
      `Project:${p}#owner@(Nowhere:${o}#member)`,
      `Project:${p}#chef@ann`,
      `Project:${p}#view@(Organization:${o}#member)`,
    ]
    const { subject_id: _, ...noSubject } = tuple(lines[0] ?? '')
    expect(await askBatch([...lines.map(tuple), noSubject])).toMatchObject({
      status: 200,
      body: {
        results: [
          { allowed: true },
          { allowed: false },
          { allowed: false, error: 'Not Found' },
          { allowed: false, error: 'Not Found' },
          { allowed: false, error: 'Bad Request' },
          { allowed: true },
          { allowed: false, error: 'subject is not allowed to be nil' },
        ],
      },
    })
  })

  it('takes ten items, none, and their depth', async () => {
    const line = `Project:${unique('p')}#owner@ann`
    await given(server, line)
    const ten = Array.from({ length: 10 }, () => tuple(line))
    expect((await askBatch(ten)).body.results).toEqual(ten.map(() => ({ allowed: true })))
    expect((await askBatch(ten, '?max-depth=1')).body.results).toEqual(ten.map(() => ({ allowed: false })))
    expect(await askBatch([...ten, tuple(line)])).toMatchObject(REFUSED)
    expect(await askBatch([...ten, tuple(line)], '?max-depth=x')).toMatchObject(REFUSED)
    for (const nothing of [[], null, undefined])
      expect((await askBatch(nothing)).body).toEqual({ results: [] })
  })

  it('refuses what is no list of tuples', async () => {
    for (const tuples of [{}, 'x', ['Project:p#owner@ann'], [{ object: 1 }]])
      expect((await askBatch(tuples)).status).toBe(400)
  })
})

describe('a tree', () => {
  const of = (subject: object) => ({ namespace: '', object: '', relation: '', ...subject })
  const leaf = (subject: object) => ({ type: 'leaf', tuple: of(subject) })
  const set = (object: string, relation: string) => ({
    subject_set: { namespace: 'Organization', object, relation },
  })

  it('shows the subjects of a set and of the sets within, as far as it may', async () => {
    const [o, q] = [unique('o'), unique('q')]
    await given(server, `Organization:${o}#member@(Organization:${q}#admin)`, `Organization:${q}#admin@ann`)
    const inner = { type: 'union', children: [leaf({ subject_id: 'ann' })], tuple: of(set(q, 'admin')) }
    const whole = { type: 'union', children: [inner], tuple: of(set(o, 'member')) }
    expect(await expand('Organization', o, 'member')).toMatchObject({ status: 200, body: whole })
    expect((await expand('Organization', o, 'member', { 'max-depth': 2 })).body).toEqual({
      ...whole,
      children: [leaf(set(q, 'admin'))],
    })
    expect((await expand('Organization', o, 'member', { 'max-depth': 1 })).body).toEqual(
      leaf(set(o, 'member')),
    )
  })

  it('is five deep at most: the sets there are leaves', async () => {
    const o = unique('o')
    await given(
      server,
      ...[1, 2, 3, 4, 5, 6].map(i => `Organization:${o}${i}#member@(Organization:${o}${i + 1}#member)`),
    )
    const depthOf = (node: { children?: never[] }): number =>
      1 + Math.max(0, ...(node.children ?? []).map(depthOf))
    for (const [asked, depth] of [
      ['', 5],
      ['4', 4],
      ['9', 5],
      ['0', 5],
    ] as const) {
      const { body } = await expand('Organization', `${o}1`, 'member', asked && { 'max-depth': asked })
      expect(depthOf(body), asked).toBe(depth)
    }
  })

  it('opens each set once, and shows a tuple that is stored twice twice', async () => {
    const [o, q] = [unique('o'), unique('q')]
    await given(
      server,
      `Organization:${o}#member@(Organization:${q}#member)`,
      `Organization:${q}#member@(Organization:${o}#member)`,
      `Organization:${q}#member@ann`,
      `Organization:${q}#member@ann`,
    )
    const { body } = await expand('Organization', o, 'member')
    const [inner] = body.children
    const shown = inner.children.map((child: { tuple: WireTuple }) => child.tuple.subject_id ?? 'set').sort()
    expect(shown).toEqual(['ann', 'ann', 'set'])
    expect(inner.children).toContainEqual(leaf(set(o, 'member')))
  })

  it('has subject sets before ids, by their namespaces: so the first of two ways opens a set', async () => {
    for (const _ of [1, 2, 3, 4]) {
      const [o, q] = [unique('o'), unique('q')]
      await given(
        server,
        `Organization:${o}#member@ann`,
        `Organization:${o}#member@(Project:${q}#viewer)`,
        `Organization:${o}#member@(Organization:${q}#member)`,
        `Project:${q}#viewer@(Organization:${q}#admin)`,
        `Organization:${q}#member@(Organization:${q}#admin)`,
        `Organization:${q}#admin@bob`,
      )
      const { body } = await expand('Organization', o, 'member')
      const admins = { ...leaf(set(q, 'admin')), type: 'union', children: [leaf({ subject_id: 'bob' })] }
      expect(body.children).toEqual([
        { type: 'union', children: [admins], tuple: of(set(q, 'member')) },
        {
          type: 'union',
          children: [leaf(set(q, 'admin'))],
          tuple: of({ subject_set: { namespace: 'Project', object: q, relation: 'viewer' } }),
        },
        leaf({ subject_id: 'ann' }),
      ])
    }
  })

  it('is a 200 with a 404 inside when nothing is stored, also of a permit', async () => {
    const p = unique('p')
    await given(server, `Project:${p}#owner@ann`)
    const nothing = { code: 404, status: 'Not Found', message: 'no relation tuple found' }
    for (const relation of ['view', 'editor', '', 'chef']) {
      expect(await expand('Project', p, relation)).toMatchObject({ status: 200, body: nothing })
      expect((await expand('Project', p, relation, { 'max-depth': 1 })).body).toEqual(nothing)
    }
  })

  it('knows its namespaces', async () => {
    for (const namespace of ['Nowhere', 'project', ''])
      expect(await expand(namespace, 'p', 'owner')).toMatchObject({
        status: 404,
      })
    expect(await expand('Nowhere', 'p', 'owner', { 'max-depth': 'x' })).toMatchObject(REFUSED)
  })
})
